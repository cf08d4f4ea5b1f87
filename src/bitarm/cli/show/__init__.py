"""What commands show a person: tables, plots and progress of runs, sweeps and plans."""
