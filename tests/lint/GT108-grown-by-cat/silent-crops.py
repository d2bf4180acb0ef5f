import numpy as np


def generate(model, wave):
    model.eval()
    result = None
    for begin in range(0, wave.shape[2], 16384):
        piece = model(wave[:, :, begin : begin + 16384]).cpu().numpy()
        if result is None:
            result = piece
        else:
            result = np.concatenate((result, piece))
    return result
