package alerttest

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"errors"
	"math/big"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/synadia-io/orbit.go/natscontext"
	"go.yaml.in/yaml/v3"

	"github.com/helve-dev/helve/config"
	"github.com/helve-dev/helve/internal/bus/embedded"
	"github.com/helve-dev/helve/internal/identity"
)

// TestNATSUnavailable: the server stops and starts again.
func TestNATSUnavailable(t *testing.T) {
	s := launch(t, nil)
	where, err := url.Parse(s.nats.URL())
	if err != nil {
		t.Fatal(err)
	}
	start(t, s.url).proves("HelveNATSUnavailable", s.nats.Stop, func() { s.serve(where.Host) })
}

// delayed passes bytes on to a server, later while delay is set.
func delayed(t *testing.T, to string, delay *atomic.Int64) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	copyLate := func(dst, src net.Conn) {
		defer func() { _, _ = dst.Close(), src.Close() }()
		buffer := make([]byte, 64<<10)
		for {
			n, err := src.Read(buffer)
			if d := delay.Load(); d > 0 {
				<-time.After(time.Duration(d))
			}
			if _, failed := dst.Write(buffer[:n]); err != nil || failed != nil {
				return
			}
		}
	}
	go func() {
		for {
			in, err := l.Accept()
			if err != nil {
				return
			}
			out, err := net.Dial("tcp", to)
			if err != nil {
				_ = in.Close()
				continue
			}
			go copyLate(out, in)
			go copyLate(in, out)
		}
	}()
	return "nats://" + l.Addr().String()
}

// TestNATSSlow: the network to the server is slow.
func TestNATSSlow(t *testing.T) {
	s := prepare(t, nil)
	s.serve("127.0.0.1:0")
	where, err := url.Parse(s.nats.URL())
	if err != nil {
		t.Fatal(err)
	}
	var delay atomic.Int64
	s.cfg.NATS.URL = delayed(t, where.Host, &delay)
	s.run()
	start(t, s.url).proves("HelveNATSSlow", func() { delay.Store(int64(300 * time.Millisecond)) }, func() { delay.Store(0) })
}

// TestQuorum: of three servers two stop, so no stream has a leader; first one, so a copy is
// missing.
func TestQuorum(t *testing.T) {
	dir := t.TempDir()
	free := make([]string, 6)
	for i := range free {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		free[i] = l.Addr().String()
		_ = l.Close()
	}
	clients, routes := free[:3], free[3:]
	servers := make([]*embedded.Server, 3)
	serve := func(i int) {
		own := append([]string{routes[i]}, append(append([]string{}, routes[:i]...), routes[i+1:]...)...)
		srv, err := embedded.Start(embedded.Options{
			Addr:     clients[i],
			Dir:      filepath.Join(dir, string(rune('a'+i))),
			MaxStore: 1 << 40,
			Routes:   own,
		})
		if err != nil {
			t.Error(err)
			return
		}
		servers[i] = srv
		t.Cleanup(srv.Stop)
	}
	done := make(chan struct{})
	for i := range servers {
		go func() { defer func() { done <- struct{}{} }(); serve(i) }()
	}
	for range servers {
		<-done
	}
	s := launch(t, func(c *config.Config) {
		c.NATS.URL, c.Durability.Replicas = "nats://"+clients[0], 3
	})
	p := start(t, s.url)
	p.until("HelveStreamReplicasMissing", false)
	p.proves("HelveStreamReplicasMissing", servers[2].Stop, func() { serve(2) })
	var restarted sync.WaitGroup
	p.proves("HelveNATSUnavailable", func() { servers[1].Stop(); servers[2].Stop(); p.until("HelveStreamUnusable", true) }, func() {
		restarted.Go(func() { serve(1) })
		restarted.Go(func() { serve(2) })
		restarted.Wait()
	})
	p.until("HelveStreamUnusable", false)
}

// streams returns JetStream as an operator's tool uses it.
func (s *system) streams() jetstream.JetStream {
	s.t.Helper()
	nc, err := nats.Connect(s.nats.URL())
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(nc.Close)
	js, err := jetstream.New(nc)
	if err != nil {
		s.t.Fatal(err)
	}
	return js
}

// TestStreamUnusable: something makes a bucket in memory that must be on disk, which nobody
// can change back, and deletes it again.
func TestStreamUnusable(t *testing.T) {
	s := launch(t, nil)
	js := s.streams()
	const name = "KV_helve_loads"
	stream, err := js.Stream(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	settings := stream.CachedInfo().Config
	settings.Storage = jetstream.MemoryStorage
	start(t, s.url).proves("HelveStreamUnusable", func() {
		for err = js.DeleteStream(t.Context(), name); err == nil; err = js.DeleteStream(t.Context(), name) {
			if _, err = js.CreateStream(t.Context(), settings); err == nil {
				return // before a dispatcher has made it again
			}
		}
		t.Fatal(err)
	}, func() {
		if err := js.DeleteStream(t.Context(), name); err != nil {
			t.Fatal(err)
		}
	})
}

// TestStreamRepaired: something alters a stream once, and leaves it alone from then on.
func TestStreamRepaired(t *testing.T) {
	s := launch(t, nil)
	js := s.streams()
	p := start(t, s.url)
	for p.step(); !p.has("helve_stream_repairs_total"); p.step() { // a first look takes a second
		<-time.After(100 * time.Millisecond)
	}
	p.proves("HelveStreamRepaired", func() {
		stream, err := js.Stream(t.Context(), "HELVE_CALLS")
		if err != nil {
			t.Fatal(err)
		}
		settings := stream.CachedInfo().Config
		settings.MaxAge = time.Hour
		if _, err := js.UpdateStream(t.Context(), settings); err != nil {
			t.Fatal(err)
		}
	}, func() {})
}

// TestCredentialExpiring: a key of the key file expires soon, and is then replaced.
func TestCredentialExpiring(t *testing.T) {
	file := filepath.Join(t.TempDir(), "keys.yaml")
	write := func(expires time.Time) {
		_, id, hash := identity.NewKey()
		text, err := yaml.Marshal([]identity.Entry{
			{ID: id, Hash: hash, Tenant: "default", Roles: []string{"agent"}, Expires: expires.Format(time.RFC3339)},
		})
		if err == nil {
			err = os.WriteFile(file, text, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	write(time.Now().Add(365 * 24 * time.Hour))
	s := launch(t, func(c *config.Config) { c.Auth.KeysFile = file })
	start(t, s.url).proves("HelveCredentialExpiring", func() { write(time.Now().Add(24 * time.Hour)) }, func() {
		write(time.Now().Add(365 * 24 * time.Hour))
	})
}

// TestCertificateExpiring: the client certificate that a NATS context names, as in
// deploy/k8s/overlays/prod, expires soon, and is then replaced.
func TestCertificateExpiring(t *testing.T) {
	const soon, late = 24 * time.Hour, 365 * 24 * time.Hour
	dir := t.TempDir()
	certify := func(name string, lasts time.Duration) (cert, key string) {
		cert, key = filepath.Join(dir, name+".crt"), filepath.Join(dir, name+".key")
		certPEM, keyPEM := pair(t, time.Now().Add(lasts))
		if err := errors.Join(os.WriteFile(key, keyPEM, 0o600), os.WriteFile(cert, certPEM, 0o600)); err != nil {
			t.Fatal(err)
		}
		return cert, key
	}
	ca, caKey := certify("server", late)
	own, err := tls.LoadX509KeyPair(ca, caKey)
	if err != nil {
		t.Fatal(err)
	}
	url := listen(t, &server.Options{
		JetStream:  true,
		StoreDir:   t.TempDir(),
		TLSConfig:  &tls.Config{Certificates: []tls.Certificate{own}},
		TLSTimeout: patience.Seconds(),
	})
	cert, key := certify("client", late)
	text, err := json.Marshal(natscontext.Settings{URL: url, CA: ca, Cert: cert, Key: key})
	if err != nil {
		t.Fatal(err)
	}
	context := filepath.Join(dir, "context.json")
	if err := os.WriteFile(context, text, 0o600); err != nil {
		t.Fatal(err)
	}
	s := prepare(t, func(c *config.Config) { c.NATS.Context = context })
	s.run()
	start(t, s.url).proves("HelveCredentialExpiring", func() { certify("client", soon) }, func() { certify("client", late) })
}

// pair returns a certificate for loopback, which is its own authority, and its key.
func pair(t *testing.T, ends time.Time) (certPEM, keyPEM []byte) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	leaf := &x509.Certificate{
		SerialNumber:          big.NewInt(1),
		NotAfter:              ends,
		IPAddresses:           []net.IP{net.IPv4(127, 0, 0, 1)},
		BasicConstraintsValid: true,
		IsCA:                  true,
	}
	cert, err := x509.CreateCertificate(rand.Reader, leaf, leaf, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: cert}), pem.EncodeToMemory(&pem.Block{
		Type: "PRIVATE KEY", Bytes: private,
	})
}
