"""What a program calls: `identify`, `simulate`, problem files, runs over a broker.

identify, identification   a run in one process, and its result for a program
simulate                   many trials of one setting or of several
network/                   either side of a run over a broker
problem, arm_tables        a problem file; what an agent reads of one
arms, sources, fleet       arms as a program has them, as a file has them, and who serves them
words, table_words         words as files and calls spell them; those that no scheme has
scheme                     from words to a Setup, and `bitarm.setup`
default_scheme             which quantizer, policy and width a run has
applicable                 which words apply beside which
defaults, schema           the defaults for a reader; the JSON Schema of problem files
caveats                    whether the rewards fit what the guarantee assumes
notebook, dataframes       results as HTML and lines, and as tables
race_picture, sweep_picture, log_axis      results as pictures
extras                     optional packages, and what installs them
"""
