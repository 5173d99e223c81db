def get(call, values, flags):
    pass


def export(call, values, flags):
    pass
