package queue_test

import (
	"context"
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
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/jwt/v2"
	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nkeys"

	"github.com/helve-dev/helve/internal/bus/natsio"
	"github.com/helve-dev/helve/internal/bus/queue"
	"github.com/helve-dev/helve/internal/bus/queue/queuetest"
	"github.com/helve-dev/helve/internal/bus/streams"
)

// guarded starts a server that requires credentials.
func guarded(t *testing.T, opts *server.Options) *server.Server {
	t.Helper()
	opts.Host, opts.Port, opts.NoSigs = "127.0.0.1", server.RANDOM_PORT, true
	opts.JetStream, opts.StoreDir = true, t.TempDir()
	srv := must(server.NewServer(opts))(t)
	srv.Start()
	t.Cleanup(func() { srv.Shutdown(); srv.WaitForShutdown() })
	if !srv.ReadyForConnections(queuetest.Patience) {
		t.Fatal("the server is not ready")
	}
	return srv
}

// must returns v, or fails the test it is given.
func must[T any](v T, err error) func(*testing.T) T {
	return func(t *testing.T) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// save writes a file that only the test's user can read, and returns its path.
func save(t *testing.T, path string, data []byte) string {
	t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, data, 0o600)); err != nil {
		t.Fatal(err)
	}
	return path
}

func open(t *testing.T, opts queue.Options) *queue.Queue {
	t.Helper()
	q := must(queue.Connect(opts))(t)
	t.Cleanup(q.Close)
	return q
}

// refused checks that the server refuses q repeatedly, and that Prepare returns the reason.
func refused(t *testing.T, srv *server.Server, q *queue.Queue, why string) {
	t.Helper()
	queuetest.Until(t, "refused three times", func() bool { return must(srv.Varz(nil))(t).TotalConnections >= 3 })
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if err := q.Prepare(ctx); !errors.Is(err, natsio.ErrUnavailable) || !strings.Contains(err.Error(), why) {
		t.Errorf("Prepare = %v, want ErrUnavailable with %q", err, why)
	}
}

// serves checks that a call is queued, run and answered.
func serves(t *testing.T, q *queue.Queue) {
	t.Helper()
	ctx := queuetest.Context(t)
	if err := q.Prepare(ctx); err != nil {
		t.Fatalf("Prepare = %v, want nil", err)
	}
	c, taken := consume(t, q, 1)
	defer c.Close()
	if err := submit(t, q, newCall("c")); err != nil {
		t.Fatalf("Submit = %v, want nil", err)
	}
	d := queuetest.Receive(t, taken, "call")
	if err := q.Results.FinishWait(ctx, d.Tenant, d.Pool, d.Origin, d.ID, []byte("done"), nil); err != nil {
		t.Fatalf("FinishWait = %v, want nil", err)
	}
	settled(d)
	if got, err := q.Results.Result(ctx, "acme", "c"); err != nil || got == nil || string(got.Element) != "done" {
		t.Errorf("Result = %v, %v, want done", got, err)
	}
}

// certify returns a self-signed certificate for the loopback, and its files.
func certify(t *testing.T) (cert tls.Certificate, certFile, keyFile string) {
	t.Helper()
	key := must(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))(t)
	leaf := &x509.Certificate{
		SerialNumber: big.NewInt(time.Now().UnixNano()), NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, BasicConstraintsValid: true, IsCA: true,
	}
	signed, private := must(x509.CreateCertificate(rand.Reader, leaf, leaf, key.Public(), key))(t), must(x509.MarshalPKCS8PrivateKey(key))(t)
	certPEM := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: signed})
	keyPEM := pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private})
	dir := t.TempDir()
	return must(tls.X509KeyPair(certPEM, keyPEM))(t), save(t, filepath.Join(dir, "cert.pem"), certPEM), save(t,
		filepath.Join(dir, "key.pem"), keyPEM)
}

func TestBusOverTLS(t *testing.T) {
	t.Parallel()
	own, ca, _ := certify(t)
	client, cert, key := certify(t)
	known := x509.NewCertPool()
	known.AddCert(client.Leaf)
	const oneSided, mutual = tls.NoClientCert, tls.RequireAndVerifyClientCert
	for name, tt := range map[string]struct {
		asks tls.ClientAuthType
		opts queue.Options
		why  string // of the refusal; served if empty
	}{
		"with the CA":              {oneSided, queue.Options{Options: streams.Options{Options: natsio.Options{CA: ca}}}, ""},
		"without the CA":           {oneSided, queue.Options{}, "unknown authority"},
		"mutual":                   {mutual, queue.Options{Options: streams.Options{Options: natsio.Options{CA: ca, Cert: cert, Key: key}}}, ""},
		"mutual without the CA":    {mutual, queue.Options{Options: streams.Options{Options: natsio.Options{Cert: cert, Key: key}}}, "unknown authority"},
		"mutual without one's own": {mutual, queue.Options{Options: streams.Options{Options: natsio.Options{CA: ca}}}, "not connected to tls://127.0.0.1:"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			config := &tls.Config{Certificates: []tls.Certificate{own}, ClientCAs: known, ClientAuth: tt.asks}
			srv := guarded(t, &server.Options{TLSConfig: config, TLSTimeout: queuetest.Patience.Seconds()})
			tt.opts.URL, tt.opts.ConnectTimeout = srv.ClientURL(), queuetest.Patience
			q := open(t, tt.opts)
			if tt.why == "" {
				serves(t, q)
			} else {
				refused(t, srv, q, tt.why)
			}
		})
	}
}

// chartered starts a server of an operator that does not know its account yet; admit adds
// it, and creds is the file of a user.
func chartered(t *testing.T) (srv *server.Server, admit func(), creds string) {
	t.Helper()
	operator, user := must(nkeys.CreateOperator())(t), must(nkeys.CreateUser())(t)
	accounts := new(server.MemAccResolver)
	charter := func(disk int64) (account nkeys.KeyPair, name string, admit func()) {
		account = must(nkeys.CreateAccount())(t)
		name = must(account.PublicKey())(t)
		claims := jwt.NewAccountClaims(name)
		claims.Limits.DiskStorage = disk
		return account, name, func() { _ = accounts.Store(name, must(claims.Encode(operator))(t)) }
	}
	_, system, admitSystem := charter(0)
	admitSystem()
	account, _, admit := charter(jwt.NoLimit)
	pass := must(jwt.NewUserClaims(must(user.PublicKey())(t)).Encode(account))(t)
	data := must(jwt.FormatUserConfig(pass, must(user.Seed())(t)))(t)
	srv = guarded(t, &server.Options{
		TrustedKeys: []string{must(operator.PublicKey())(t)}, AccountResolver: accounts, SystemAccount: system,
	})
	return srv, admit, save(t, filepath.Join(t.TempDir(), "user.creds"), data)
}

// TestBusWithCredentials: a refused process connects as soon as the server accepts its
// credentials, without a restart.
func TestBusWithCredentials(t *testing.T) {
	t.Parallel()
	srv, admit, creds := chartered(t)
	q := open(t, queue.Options{Options: streams.Options{Options: natsio.Options{URL: srv.ClientURL(), Creds: creds}}})
	refused(t, srv, q, "Authorization Violation")
	admit()
	serves(t, q)
}

func TestBusWithAContext(t *testing.T) {
	config := t.TempDir()
	t.Setenv("XDG_CONFIG_HOME", config)
	withCreds, admit, creds := chartered(t)
	admit()
	withPassword := guarded(t, &server.Options{Username: "helve", Password: "secret"})
	for name, settings := range map[string]map[string]string{
		"creds":    {"url": withCreds.ClientURL(), "creds": creds},
		"password": {"url": withPassword.ClientURL(), "user": "helve", "password": "secret"},
	} {
		save(t, filepath.Join(config, "nats", "context", name+".json"), must(json.Marshal(settings))(t))
		serves(t, open(t, queue.Options{Options: streams.Options{Options: natsio.Options{Context: name}}}))
	}
}
