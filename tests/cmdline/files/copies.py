for x in loader:
    out = model(x)
    loss(out).backward()
    seen = out.cpu()
    ids = out.tolist()
