"""The topics of voting, one module each: posts, comments, votes, listings, follows and so on."""
