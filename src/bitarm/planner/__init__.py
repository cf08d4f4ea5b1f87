"""Before a deployment: what will an identification cost, and which setting costs least?

plan                   `plan` itself, and what it returns
planning_task          the problem, what is guessed of it, and prices
guessed_gaps           how far below the best arm the others may be
simulated_rewards      which rewards are drawn where little is known of them
prices, link_costs     what things cost; what frames cost on a link
judged_questions       what agents that judge themselves are asked, for the price of frames
scheme_words           a setting as a value; fixed_words: those that may not vary
starting_grids, axes   which settings there are to try, and how a word of one is varied
candidates             where a search begins, and the neighbours of a setting
testbeds               the environments in which settings are compared
setting_simulator      a setting simulated in them; figures: what it costs there
search                 a race of many settings, then a climb
trade_off, picture     what no setting beats in both samples and bits, and a drawing of that
wrong_guess            what the plan costs if the guess is wrong
"""
