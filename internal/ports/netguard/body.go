package netguard

import (
	"errors"
	"io"

	"github.com/helve-dev/helve/tool"
)

// body is a response body that explains its errors and stops a decompression bomb
// before it takes memory.
type body struct {
	io.ReadCloser
	left    int64
	explain func(error) error
}

// Read reads, up to MaxBody bytes in total.
func (b *body) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return b.end()
	}
	if int64(len(p)) > b.left {
		p = p[:b.left]
	}
	n, err := b.ReadCloser.Read(p)
	b.left -= int64(n)
	if err != nil && !errors.Is(err, io.EOF) {
		err = b.explain(err)
	}
	return n, err
}

// end distinguishes a body of exactly MaxBody bytes from a longer one.
func (b *body) end() (int, error) {
	n, err := b.ReadCloser.Read(make([]byte, 1))
	switch {
	case n > 0:
		return 0, tool.Fail(tool.NetworkError, "the response is larger than %d MiB", MaxBody>>20)
	case err == nil || errors.Is(err, io.EOF):
		return 0, err
	default:
		return 0, b.explain(err)
	}
}
