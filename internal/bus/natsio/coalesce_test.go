package natsio

import (
	"bytes"
	"errors"
	"net"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nats-io/nats.go"
)

// paper is a connection that notes each write, and fails or waits if told to.
type paper struct {
	net.Conn
	lines  []string
	fails  error
	waits  chan struct{}
	closed bool
}

func (p *paper) Write(b []byte) (int, error) {
	if p.waits != nil {
		<-p.waits
	}
	if p.fails != nil {
		return 0, p.fails
	}
	p.lines = append(p.lines, string(b))
	return len(b), nil
}

func (p *paper) SetWriteDeadline(time.Time) error { return nil }

func (p *paper) Close() error {
	p.closed = true
	return nil
}

func write(t *testing.T, g *writeCoalescer, words ...string) {
	t.Helper()
	for _, word := range words {
		if n, err := g.Write([]byte(word)); n != len(word) || err != nil {
			t.Fatalf("Write(%q) = %d, %v", word, n, err)
		}
	}
}

func TestCoalescingSendsTogetherWhatIsClose(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &paper{}
		g := newWriteCoalescer(p)
		write(t, g, "alone ")
		if len(p.lines) != 1 {
			t.Fatalf("a write that comes alone was held back: %q", p.lines)
		}
		write(t, g, "these ", "go ", "together ")
		synctest.Wait()
		if len(p.lines) != 2 || p.lines[1] != "these go together " {
			t.Errorf("sent %q", p.lines)
		}
		time.Sleep(2 * coalesceClose)
		write(t, g, "alone again")
		if len(p.lines) != 3 {
			t.Errorf("a write that comes alone was held back: %q", p.lines)
		}
	})
}

func TestCoalescingKeepsItsOwnCopy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &paper{}
		g := newWriteCoalescer(p)
		write(t, g, "first ")
		buf := []byte("second")
		if _, err := g.Write(buf); err != nil {
			t.Fatal(err)
		}
		copy(buf, "xxxxxx") // as the client library does with its buffer
		synctest.Wait()
		if p.lines[1] != "second" {
			t.Errorf("sent %q", p.lines)
		}
	})
}

func TestCoalescingTellsOfAFailureAndCloses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &paper{}
		g := newWriteCoalescer(p)
		write(t, g, "first")
		p.fails = errors.New("the cable is cut")
		write(t, g, "held back")
		synctest.Wait()
		if !p.closed {
			t.Error("the connection is not closed, so nobody connects anew")
		}
		if _, err := g.Write([]byte("after")); !errors.Is(err, p.fails) {
			t.Errorf("Write after the failure: %v", err)
		}
	})
}

func TestCoalescingIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &paper{}
		g := newWriteCoalescer(p)
		write(t, g, "first")
		p.waits = make(chan struct{})
		piece := bytes.Repeat([]byte("x"), coalesceMost/4)
		const pieces = 16
		var written int
		go func() {
			for range pieces {
				if _, err := g.Write(piece); err != nil {
					t.Error(err)
				}
				written++
			}
		}()
		synctest.Wait()
		if written >= pieces {
			t.Error("a server that takes nothing holds up nobody who writes")
		}
		close(p.waits)
		synctest.Wait()
		total := 0
		for _, line := range p.lines[1:] {
			total += len(line)
		}
		if written != pieces || total != pieces*len(piece) {
			t.Errorf("wrote %d pieces, %d bytes were sent", written, total)
		}
	})
}

// In a connection that ends, a write that waits for room must return.
func TestCoalescingEndsTheWaitForRoom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &paper{}
		g := newWriteCoalescer(p)
		write(t, g, "first")
		p.waits = make(chan struct{})
		write(t, g, string(bytes.Repeat([]byte("x"), coalesceMost)))
		synctest.Wait() // it is being sent
		write(t, g, string(bytes.Repeat([]byte("y"), coalesceMost)))
		failed := make(chan error, 1)
		go func() {
			_, err := g.Write([]byte("z"))
			failed <- err
		}()
		synctest.Wait()
		p.fails = net.ErrClosed
		close(p.waits)
		synctest.Wait()
		if err := <-failed; !errors.Is(err, net.ErrClosed) {
			t.Errorf("the waiting Write ended with %v", err)
		}
	})
}

// proxy is a dialer that an operator's settings have chosen.
type proxy struct{ dialed string }

func (p *proxy) Dial(_, address string) (net.Conn, error) {
	p.dialed = address
	return &paper{}, nil
}

func TestCoalesceDialsAsItIsTold(t *testing.T) {
	p := &proxy{}
	o := nats.Options{CustomDialer: p}
	if err := new(Conn).coalesce(&o); err != nil {
		t.Fatal(err)
	}
	conn, err := o.CustomDialer.Dial("tcp", "nats.example:4222")
	if err != nil {
		t.Fatal(err)
	}
	if _, gathers := conn.(*writeCoalescer); !gathers || p.dialed != "nats.example:4222" {
		t.Errorf("got %T, and the proxy dialed %q", conn, p.dialed)
	}
}

// What was written before the connection is closed has gone out when it is.
func TestCoalescingSendsBeforeItCloses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &paper{}
		g := newWriteCoalescer(p)
		write(t, g, "alone ", "held ", "too ")
		if err := g.Close(); err != nil || !p.closed {
			t.Fatalf("Close = %v, closed: %v", err, p.closed)
		}
		if got := strings.Join(p.lines, ""); got != "alone held too " {
			t.Errorf("sent %q before the end", got)
		}
	})
}

// TestCoalescingEndsAWriteThatIsStuck: the other side reads nothing, as a server does that
// hangs. The writes end with an error, and the connection is closed.
func TestCoalescingEndsAWriteThatIsStuck(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		near, far := net.Pipe()
		defer far.Close()
		g := newWriteCoalescer(near)
		if err := g.SetWriteDeadline(time.Time{}); err != nil { // as the client library does
			t.Fatal(err)
		}
		began := time.Now()
		_, err := g.Write([]byte("alone"))
		if !errors.Is(err, os.ErrDeadlineExceeded) || time.Since(began) > coalesceStuck+coalesceFresh {
			t.Errorf("a write that comes alone ended with %v after %v", err, time.Since(began))
		}
		for range 4 { // the last of which wait for room
			_, err = g.Write(make([]byte, coalesceMost))
		}
		if !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("a write that waits for room ended with %v", err)
		}
		if err := g.Close(); err != nil {
			t.Error(err)
		}
	})
}
