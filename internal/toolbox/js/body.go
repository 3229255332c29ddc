package js

import (
	"context"
	"errors"
	"io"
	"runtime"
)

// firstRead is the amount that is read of a body of unknown length before all its
// possible memory is reserved.
const firstRead = 256 << 10

// oneRead is the amount that is read of a body before other goroutines get a turn: a
// fast server would otherwise occupy a processor for the whole body.
const oneRead = 64 << 10

// errBodyTooLong is returned for a body of more than MaxBody bytes.
var errBodyTooLong = errors.New("the body is too long")

// readBody reads a body of at most MaxBody bytes into one piece of memory. size is the
// declared length, or -1. Afterwards the portion holds exactly the size of the body.
func readBody(ctx context.Context, from io.Reader, size int64, p *portion) ([]byte, error) {
	if size > MaxBody {
		size = -1
	}
	most := size
	if size < 0 {
		most = MaxBody
	}
	if err := p.take(ctx, most); err != nil {
		return nil, err
	}
	body := make([]byte, 0, min(most, firstRead)+1) // one more byte, to detect the end
	if size >= 0 {
		body = make([]byte, 0, size+1)
	}
	for {
		n, err := from.Read(body[len(body):min(cap(body), len(body)+oneRead)])
		body = body[:len(body)+n]
		if n == oneRead {
			runtime.Gosched()
		}
		switch {
		case len(body) > MaxBody:
			return nil, errBodyTooLong
		case errors.Is(err, io.EOF):
			p.keep(int64(cap(body)))
			return body, nil
		case err != nil:
			return nil, err
		case len(body) == cap(body):
			if size >= 0 { // the body is longer than declared
				if err := p.take(ctx, MaxBody-size); err != nil {
					return nil, err
				}
				size = -1
			}
			body = append(make([]byte, 0, MaxBody+1), body...)
		}
	}
}
