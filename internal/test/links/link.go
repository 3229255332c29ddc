// Package links has the network between the servers of a test: TCP connections that can be cut
// or made slow, each alone or all around a server.
//
// It promises that a link which is cut loses what is sent without an error to either side, as a
// network does. It is for loopback, and shapes no bandwidth.
package links

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"time"
)

// Link passes TCP connections on to an address. It can be cut, as by a failed network, and
// made slow.
type Link struct {
	to       string
	listener net.Listener
	done     sync.WaitGroup

	mu    sync.Mutex
	cut   bool
	delay time.Duration
	conns map[net.Conn]struct{}
}

// NewLink listens on a free port of the loopback until Close.
func NewLink(to string) (*Link, error) {
	l, err := new(net.ListenConfig).Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	link := &Link{to: to, listener: l, conns: map[net.Conn]struct{}{}}
	link.done.Go(link.accept)
	return link, nil
}

// Addr returns where the link listens.
func (l *Link) Addr() string { return l.listener.Addr().String() }

// Cut loses everything that is sent, in both directions and without an error to either
// side, until Mend.
func (l *Link) Cut() { l.set(true, 0) }

// Slow delays everything by d, in each direction.
func (l *Link) Slow(d time.Duration) { l.set(false, d) }

// Mend makes the link usual again. Connections that lost something are closed.
func (l *Link) Mend() {
	l.mu.Lock()
	if l.cut {
		for c := range l.conns {
			_ = c.Close()
		}
	}
	l.mu.Unlock()
	l.set(false, 0)
}

// Close ends the link and its connections.
func (l *Link) Close() error {
	err := l.listener.Close()
	l.mu.Lock()
	for c := range l.conns {
		err = errors.Join(err, ignoreClosed(c.Close()))
	}
	l.mu.Unlock()
	l.done.Wait()
	return err
}

func ignoreClosed(err error) error {
	if errors.Is(err, net.ErrClosed) {
		return nil
	}
	return err
}

func (l *Link) set(cut bool, delay time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.cut, l.delay = cut, delay
}

func (l *Link) state() (cut bool, delay time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.cut, l.delay
}

func (l *Link) accept() {
	for {
		near, err := l.listener.Accept()
		if err != nil {
			return
		}
		if cut, _ := l.state(); cut {
			_ = near.Close()
			continue
		}
		far, err := (&net.Dialer{Timeout: linkTimeout}).DialContext(context.Background(), "tcp", l.to)
		if err != nil {
			_ = near.Close()
			continue
		}
		l.mu.Lock()
		l.conns[near], l.conns[far] = struct{}{}, struct{}{}
		l.mu.Unlock()
		l.done.Go(func() { l.pass(near, far) })
		l.done.Go(func() { l.pass(far, near) })
	}
}

// linkTimeout bounds the connection to the other side.
const linkTimeout = 2 * time.Second

// chunk is the data of one read, and the time at which it is passed on.
type chunk struct {
	data []byte
	due  time.Time
}

// pass copies from one connection to the other until either is closed.
func (l *Link) pass(from, to net.Conn) {
	chunks := make(chan chunk, 1024)
	var writing sync.WaitGroup
	writing.Go(func() {
		for c := range chunks {
			<-time.After(time.Until(c.due))
			if _, err := to.Write(c.data); err != nil {
				_ = from.Close()
			}
		}
	})
	buffer := make([]byte, 64<<10)
	for {
		n, err := from.Read(buffer)
		if cut, delay := l.state(); n > 0 && !cut {
			chunks <- chunk{append([]byte(nil), buffer[:n]...), time.Now().Add(delay)}
		}
		if err != nil {
			break
		}
	}
	close(chunks)
	writing.Wait()
	_, _ = from.Close(), to.Close()
	l.mu.Lock()
	delete(l.conns, from)
	delete(l.conns, to)
	l.mu.Unlock()
}

// Mesh is the links between the servers of a cluster: one for each ordered pair.
type Mesh struct {
	routes []string
	links  [][]*Link
}

// NewMesh returns the links between servers that listen for each other on addresses.
func NewMesh(routes []string) (*Mesh, error) {
	m := &Mesh{routes: routes, links: make([][]*Link, len(routes))}
	for from := range routes {
		m.links[from] = make([]*Link, len(routes))
		for to := range routes {
			if from == to {
				continue
			}
			link, err := NewLink(routes[to])
			if err != nil {
				return nil, errors.Join(fmt.Errorf("link to %s: %w", routes[to], err), m.Close())
			}
			m.links[from][to] = link
		}
	}
	return m, nil
}

// Addrs returns the addresses of the servers, in their order.
func (m *Mesh) Addrs() []string { return m.routes }

// Routes returns the routes of a server: its own address, then those of its links.
func (m *Mesh) Routes(server int) []string {
	all := []string{m.routes[server]}
	for to, link := range m.links[server] {
		if to != server {
			all = append(all, link.Addr())
		}
	}
	return all
}

// Around calls do for the links between a server and the others.
func (m *Mesh) Around(server int, do func(*Link)) {
	for from := range m.links {
		for to, link := range m.links[from] {
			if link != nil && (from == server || to == server) {
				do(link)
			}
		}
	}
}

// Close ends all links.
func (m *Mesh) Close() (err error) {
	for _, links := range m.links {
		for _, link := range links {
			if link != nil {
				err = errors.Join(err, ignoreClosed(link.Close()))
			}
		}
	}
	return err
}

var _ io.Closer = (*Mesh)(nil)
