"""Before a deployment: what will an identification cost, and which setting costs least?"""
