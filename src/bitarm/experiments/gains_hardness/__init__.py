"""Each gain over ICQ on the hardness figure."""
