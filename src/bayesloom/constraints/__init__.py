"""What the user knows: required and forbidden edges, tiers, orders, limits.

``model``        `Constraints`: what they say, and whether they contradict each other
``files``        the file formats of constraints
``orientation``  which edges of a network they keep from turning
"""
