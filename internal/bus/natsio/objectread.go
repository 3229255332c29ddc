package natsio

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"hash"
	"io"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
)

// errNotWhole means that parts of an object are missing or altered.
var errNotWhole = errors.New("the object is not whole")

// partsWait bounds the time in which a copy of the stream may still receive the parts of an
// object that another copy has.
const partsWait = 2 * time.Second

// object reads a value page by page, so that a slow reader may take as long as it needs,
// costs the memory of one page, and each request to the server is bounded. (The reader of
// the client library bounds the whole value by 5 s, and by nothing while the server is
// silent.)
type object struct {
	ctx    context.Context
	conn   *Conn
	stream string
	parts  string // subject of its parts
	next   uint64 // where the next page begins
	left   uint64 // bytes that are not yet read from the stream
	page   bytes.Buffer
	sum    hash.Hash
	digest string
	ended  error // what every further read returns
}

// open returns a reader of a value.
func (o *Objects) open(ctx context.Context, name string) (*object, error) {
	info, err := o.store.GetInfo(ctx, name)
	if err != nil {
		return nil, noObject(err)
	}
	return &object{
		ctx: ctx, conn: o.conn, stream: "OBJ_" + o.name, parts: "$O." + o.name + ".C." + info.NUID,
		next: 1, left: info.Size, sum: sha256.New(), digest: info.Digest,
	}, nil
}

// Read reads from the current page, and requests the next one when that is read.
func (r *object) Read(p []byte) (int, error) {
	if r.ended == nil && r.page.Len() == 0 {
		r.ended = r.turn()
	}
	if r.ended != nil {
		return 0, r.ended
	}
	return r.page.Read(p)
}

// turn reads the next page; io.EOF if that was the last and all is as it was written.
func (r *object) turn() error {
	r.page.Reset()
	if r.left == 0 {
		if base64.URLEncoding.EncodeToString(r.sum.Sum(nil)) != strings.TrimPrefix(r.digest, "SHA-256=") {
			return fmt.Errorf("%w: %w", ErrUnavailable, errNotWhole)
		}
		return io.EOF
	}
	for end := time.Now().Add(partsWait); ; Pause(r.ctx, pollEvery/10) {
		last, err := r.conn.page(r.ctx, r.stream, r.parts, r.next, func(m *nats.Msg, _ uint64) {
			r.page.Write(m.Data)
			r.sum.Write(m.Data)
		})
		if err != nil {
			return err
		}
		n := uint64(r.page.Len())
		if n > r.left || n == 0 && !time.Now().Before(end) {
			return fmt.Errorf("%w: %w", ErrUnavailable, errNotWhole)
		}
		if n > 0 {
			r.next, r.left = last+1, r.left-n
			return nil
		}
		if err := r.ctx.Err(); err != nil {
			return err
		}
	}
}

// Close ends the reads.
func (r *object) Close() error {
	r.ended = io.ErrClosedPipe
	return nil
}
