for x in loader:
    loss = model(x.cuda())
    loss.backward()
    seen.append(float(loss))
def oops(:
