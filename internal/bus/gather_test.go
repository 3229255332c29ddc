package bus

import (
	"bytes"
	"errors"
	"net"
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

func write(t *testing.T, g *gathering, words ...string) {
	t.Helper()
	for _, word := range words {
		if n, err := g.Write([]byte(word)); n != len(word) || err != nil {
			t.Fatalf("Write(%q) = %d, %v", word, n, err)
		}
	}
}

func TestGatheringSendsTogetherWhatIsClose(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &paper{}
		g := newGathering(p)
		write(t, g, "alone ")
		if len(p.lines) != 1 {
			t.Fatalf("a write that comes alone was held back: %q", p.lines)
		}
		write(t, g, "these ", "go ", "together ")
		synctest.Wait()
		if len(p.lines) != 2 || p.lines[1] != "these go together " {
			t.Errorf("sent %q", p.lines)
		}
		time.Sleep(2 * gatherClose)
		write(t, g, "alone again")
		if len(p.lines) != 3 {
			t.Errorf("a write that comes alone was held back: %q", p.lines)
		}
	})
}

func TestGatheringKeepsItsOwnCopy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &paper{}
		g := newGathering(p)
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

func TestGatheringTellsOfAFailureAndCloses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &paper{}
		g := newGathering(p)
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

func TestGatheringIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &paper{}
		g := newGathering(p)
		write(t, g, "first")
		p.waits = make(chan struct{})
		piece := bytes.Repeat([]byte("x"), gatherMost/4)
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

// In a connection that ends, whoever waits for room must hear of it.
func TestGatheringEndsTheWaitForRoom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &paper{}
		g := newGathering(p)
		write(t, g, "first")
		p.waits = make(chan struct{})
		write(t, g, string(bytes.Repeat([]byte("x"), gatherMost)))
		synctest.Wait() // it is being sent
		write(t, g, string(bytes.Repeat([]byte("y"), gatherMost)))
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

func TestGatherDialsAsItIsTold(t *testing.T) {
	p := &proxy{}
	o := nats.Options{CustomDialer: p}
	if err := gather(&o); err != nil {
		t.Fatal(err)
	}
	conn, err := o.CustomDialer.Dial("tcp", "nats.example:4222")
	if err != nil {
		t.Fatal(err)
	}
	if _, gathers := conn.(*gathering); !gathers || p.dialed != "nats.example:4222" {
		t.Errorf("got %T, and the proxy dialed %q", conn, p.dialed)
	}
}

// What was written before the connection is closed has gone out when it is.
func TestGatheringSendsBeforeItCloses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &paper{}
		g := newGathering(p)
		write(t, g, "alone ", "held ", "too ")
		if err := g.Close(); err != nil || !p.closed {
			t.Fatalf("Close = %v, closed: %v", err, p.closed)
		}
		if got := strings.Join(p.lines, ""); got != "alone held too " {
			t.Errorf("sent %q before the end", got)
		}
	})
}
