"""What a contribution counts, for the file rates_in_another_file.py beside this directory."""


def counted(key, value):
    """Return what a contribution counts; the house's own keys count twice."""
    return 2 * value if key >> 96 == 0xBEEF else value
