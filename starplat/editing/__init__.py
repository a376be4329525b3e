"""What editors ask about a program, wherever they run: what a name means, what may stand at a place, what is known of a
loop. Places are characters of the text; no protocol is known here.
"""
