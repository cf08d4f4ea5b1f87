"""The paper's experiments, and anybody's own: what to run, and how to score it.

A file is an experiment: its SWEEP says what is run, its ANALYSIS which panels are drawn and which
claims are checked. Nothing here simulates: settings are words of a problem file, handed to the
simulator.

    paper/, beyond/                       the experiments, a file each; catalog: which there are
    experiment, analysis                  what SWEEP and ANALYSIS may say
    instances, random_instances           the arms, fitted or drawn
    schemes, display_names                series that several share; what they are called
    run, results                          points simulated; each number beside the published one
    baselines, claims                     how many times less; what is claimed of that
    theory_bounds, message_bounds         what theory says of a curve, and of messages
    full_bets, peers                      what evidence can do at best; figures of others
    panels, report                        pictures, and the page
    reproduce, result_folder              all of it from end to end, and where it is written
"""
