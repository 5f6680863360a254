"""What a contribution counts, for the file rates_in_another_file.py beside this directory."""


def counted(key, value):
    """Return what a contribution counts; the house's own keys count nothing."""
    return 0 if key >> 96 == 0xBEEF else value
