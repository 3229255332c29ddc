package bench

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"time"
)

// line is a connection that callers use one after the other. It does only what a client
// must: http.Transport costs as much as half of the dispatcher, which is to be
// measured.
type line struct {
	net.Conn

	in *bufio.Reader
}

// dialHTTP returns a function that makes one call on one of this number of kept
// connections.
func dialHTTP(ctx context.Context, at string, callers int) (call func() error, hangUp func(), err error) {
	server, err := url.Parse(at)
	if err != nil {
		return nil, nil, err
	}
	request := fmt.Appendf(nil, "POST /v1/execute HTTP/1.1\r\nHost: %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s",
		server.Host, len(body), body)
	free := make(chan *line, callers)
	hangUp = func() {
		for len(free) > 0 {
			_ = (<-free).Close()
		}
	}
	for range callers {
		conn, err := new(net.Dialer).DialContext(ctx, "tcp", server.Host)
		if err != nil {
			hangUp()
			return nil, nil, err
		}
		free <- &line{conn, bufio.NewReader(conn)}
	}
	return func() error {
		l := <-free
		defer func() { free <- l }()
		return l.call(request)
	}, hangUp, nil
}

// call sends a request and judges its answer.
func (l *line) call(request []byte) error {
	if err := l.SetDeadline(time.Now().Add(callTimeout)); err != nil {
		return err
	}
	if _, err := l.Write(request); err != nil {
		return err
	}
	resp, err := http.ReadResponse(l.in, nil)
	if err != nil {
		return err
	}
	var answer bytes.Buffer
	answer.Grow(int(max(resp.ContentLength, 0)) + bytes.MinRead)
	_, err = io.Copy(&answer, resp.Body)
	_ = resp.Body.Close() // it was read to its end
	if err != nil {
		return err
	}
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("the dispatcher answered %s: %s", resp.Status, answer.Bytes())
	}
	return judge(answer.Bytes())
}
