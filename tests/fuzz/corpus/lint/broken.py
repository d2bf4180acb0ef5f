for x in loader:
    loss = model(x)
    loss.backward()
    seen.append(float(loss))
def oops(:
