"""Before a deployment: what will it cost, and which setting costs least?"""
