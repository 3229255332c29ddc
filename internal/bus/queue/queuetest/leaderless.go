package queuetest

import (
	"bufio"
	"io"
	"maps"
	"net"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/helve-dev/helve/internal/bus/embedded"
)

// Leaderless is a TCP proxy in front of a server whose streams have no leader at first: the
// first request to JetStream of each kind, for each stream, gets the answer that nothing
// receives it, as while a cluster elects a leader.
type Leaderless struct {
	URL string

	mu    sync.Mutex
	word  string
	wait  int
	asked map[string]int
}

// NewLeaderless starts a proxy in front of srv. The election begins when a stream was asked for so
// many times, so that a process can prepare its streams before.
func NewLeaderless(t testing.TB, srv *embedded.Server, stream string, times int) *Leaderless {
	t.Helper()
	target, err := url.Parse(srv.URL())
	if err != nil {
		t.Fatal(err)
	}
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &Leaderless{URL: "nats://" + l.Addr().String(), word: "." + stream, wait: times, asked: map[string]int{}}
	var running sync.WaitGroup
	running.Go(func() {
		for {
			client, err := l.Accept()
			if err != nil {
				return
			}
			server, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", target.Host)
			if err != nil {
				_ = client.Close()
				return
			}
			running.Go(func() { _, _ = io.Copy(client, server); _ = client.Close() })
			running.Go(func() { p.requests(server, bufio.NewReader(client)); _ = server.Close() })
		}
	})
	t.Cleanup(func() { _ = l.Close(); running.Wait() })
	return p
}

// Asked returns the number of requests of each kind since the election, the refused ones
// among them.
func (p *Leaderless) Asked() map[string]int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return maps.Clone(p.asked)
}

// requests forwards what a client sends. A refused request goes to a subject that nothing
// receives, and the server answers so.
func (p *Leaderless) requests(server io.Writer, client *bufio.Reader) {
	for {
		line, err := client.ReadString('\n')
		if err != nil {
			return
		}
		words, payload := strings.Fields(line), 0
		if op := strings.ToUpper(words[0]); op == "PUB" || op == "HPUB" {
			if payload, err = strconv.Atoi(words[len(words)-1]); err != nil {
				return
			}
			payload += len("\r\n")
			lengths := 1 + len(op) - len("PUB")
			if asks := len(words) == 3+lengths; asks && p.refuses(words[1]) {
				words[1] = "nobody"
				line = strings.Join(words, " ") + "\r\n"
			}
		}
		if _, err := io.WriteString(server, line); err != nil {
			return
		}
		if _, err := io.CopyN(server, client, int64(payload)); err != nil {
			return
		}
	}
}

// refuses reports whether a request is the first of its kind.
func (p *Leaderless) refuses(subject string) bool {
	var depth int // of the tokens that name the request and the stream
	switch {
	case strings.HasPrefix(subject, "$JS.API.CONSUMER.DELETE."), subject == "$JS.API.INFO":
		return false // a process does well without
	case strings.HasPrefix(subject, "$KV."):
		depth = 2
	case strings.HasPrefix(subject, "$JS.API.STREAM.MSG."), strings.HasPrefix(subject, "$JS.API.CONSUMER.DURABLE."):
		depth = 6
	case strings.HasPrefix(subject, "$JS.API."):
		depth = 5
	default:
		return false
	}
	tokens := strings.Split(subject, ".")
	kind := strings.Join(tokens[:min(depth, len(tokens))], ".")
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.wait > 0 {
		if strings.HasSuffix(kind, p.word) {
			p.wait--
		}
		return false
	}
	p.asked[kind]++
	return p.asked[kind] == 1
}
