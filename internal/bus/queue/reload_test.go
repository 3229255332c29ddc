package queue_test

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"net"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"

	"github.com/nats-io/jwt/v2"
	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nkeys"
	"github.com/synadia-io/orbit.go/natscontext"

	"github.com/helve-dev/helve/internal/bus/natsio"
	"github.com/helve-dev/helve/internal/bus/queue"
	"github.com/helve-dev/helve/internal/bus/queue/queuetest"
	"github.com/helve-dev/helve/internal/bus/streams"
)

// replace writes a file as an operator does.
func replace(t *testing.T, path, from string) {
	t.Helper()
	save(t, path, must(os.ReadFile(from))(t))
}

// reconnects makes a process connect again, and waits until it has.
func reconnects(t *testing.T, q *queue.Queue) {
	t.Helper()
	before := q.Conn.NATS().Stats().Reconnects
	if err := q.Conn.NATS().ForceReconnect(); err != nil {
		t.Fatal(err)
	}
	queuetest.Until(t, "connected again", func() bool {
		return q.Conn.NATS().IsConnected() && q.Conn.NATS().Stats().Reconnects > before
	})
}

// failures counts the errors of a connection by cause.
type failures struct{ credentials atomic.Int64 }

func (f *failures) count(cause string) {
	if cause == "credentials" {
		f.credentials.Add(1)
	}
}

// settings are the ways to name the files of a connection.
var settings = map[string]func(*testing.T, natsio.Options) natsio.Options{
	"plain":   func(_ *testing.T, o natsio.Options) natsio.Options { return o },
	"context": inContext,
}

// inContext returns the options with a NATS context in place of the files.
func inContext(t *testing.T, o natsio.Options) natsio.Options {
	t.Helper()
	text := must(json.Marshal(natscontext.Settings{URL: o.URL, Creds: o.Creds, CA: o.CA, Cert: o.Cert, Key: o.Key}))(t)
	o.Context = save(t, filepath.Join(t.TempDir(), "context.json"), text)
	o.URL, o.Creds, o.CA, o.Cert, o.Key = "", "", "", "", ""
	return o
}

// TestTLSFilesReplaced: the authorities and the certificate of a connection are read again
// when it is made, and those before stay in use while a file is broken.
func TestTLSFilesReplaced(t *testing.T) {
	t.Parallel()
	for name, named := range settings {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			replaceTLS(t, named)
		})
	}
}

func replaceTLS(t *testing.T, named func(*testing.T, natsio.Options) natsio.Options) {
	t.Helper()
	own, ca, _ := certify(t)
	client, cert, key := certify(t)
	otherOwn, otherCA, _ := certify(t)
	otherClient, otherCert, otherKey := certify(t)
	var present atomic.Pointer[tls.Config]
	serve := func(own, client tls.Certificate) {
		known := x509.NewCertPool()
		known.AddCert(client.Leaf)
		present.Store(&tls.Config{Certificates: []tls.Certificate{own}, ClientCAs: known, ClientAuth: tls.RequireAndVerifyClientCert})
	}
	serve(own, client)
	srv := guarded(t, &server.Options{
		TLSConfig: &tls.Config{
			Certificates: []tls.Certificate{own}, GetConfigForClient: func(*tls.ClientHelloInfo) (*tls.Config, error) { return present.Load(), nil },
		},
		TLSTimeout: queuetest.Patience.Seconds(),
	})
	var failed failures
	q := open(t, queue.Options{Options: streams.Options{Options: named(t, natsio.Options{
		URL: srv.ClientURL(), ConnectTimeout: queuetest.Patience, CA: ca, Cert: cert, Key: key, Failed: failed.count,
	})}})
	serves(t, q)

	for _, file := range []string{ca, cert} {
		good := must(os.ReadFile(file))(t)
		before := failed.credentials.Load()
		save(t, file, []byte("broken"))
		reconnects(t, q)
		if failed.credentials.Load() == before {
			t.Errorf("a broken %s was not reported", filepath.Base(file))
		}
		save(t, file, good)
	}

	serve(otherOwn, otherClient) // which refuses the old files
	if err := q.Conn.NATS().ForceReconnect(); err != nil {
		t.Fatal(err)
	}
	queuetest.Until(t, "refused with the old files", func() bool { return !q.Conn.NATS().IsConnected() && q.Conn.Away() != nil })
	replace(t, ca, otherCA)
	replace(t, key, otherKey)
	replace(t, cert, otherCert)
	queuetest.Until(t, "connected with the new files", func() bool { return q.Conn.NATS().IsConnected() })
	if err := q.Conn.Flush(queuetest.Context(t)); err != nil {
		t.Error(err)
	}
}

// TestCredentialsReplaced: a credentials file is read again when the connection is made, as
// after the user in it was revoked, and the one before stays in use while it is broken.
func TestCredentialsReplaced(t *testing.T) {
	t.Parallel()
	for name, named := range settings {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			replaceCredentials(t, named)
		})
	}
}

func replaceCredentials(t *testing.T, named func(*testing.T, natsio.Options) natsio.Options) {
	t.Helper()
	operator, account := must(nkeys.CreateOperator())(t), must(nkeys.CreateAccount())(t)
	accounts := new(server.MemAccResolver)
	name := must(account.PublicKey())(t)
	claims := jwt.NewAccountClaims(name)
	claims.Limits.DiskStorage = jwt.NoLimit
	if err := accounts.Store(name, must(claims.Encode(operator))(t)); err != nil {
		t.Fatal(err)
	}
	system := must(must(nkeys.CreateAccount())(t).PublicKey())(t)
	if err := accounts.Store(system, must(jwt.NewAccountClaims(system).Encode(operator))(t)); err != nil {
		t.Fatal(err)
	}
	issue := func() (id string, file []byte) {
		user := must(nkeys.CreateUser())(t)
		id = must(user.PublicKey())(t)
		return id, must(jwt.FormatUserConfig(must(jwt.NewUserClaims(id).Encode(account))(t), must(user.Seed())(t)))(t)
	}
	srv := guarded(t, &server.Options{TrustedKeys: []string{must(operator.PublicKey())(t)}, AccountResolver: accounts, SystemAccount: system})
	first, text := issue()
	creds := save(t, filepath.Join(t.TempDir(), "user.creds"), text)
	var failed failures
	q := open(t, queue.Options{Options: streams.Options{Options: named(t, natsio.Options{URL: srv.ClientURL(), Creds: creds, Failed: failed.count})}})
	serves(t, q)

	save(t, creds, []byte("broken"))
	reconnects(t, q)
	if failed.credentials.Load() == 0 {
		t.Error("a broken credentials file was not reported")
	}

	second, text := issue()
	save(t, creds, text)
	claims.Revoke(first)
	srv.UpdateAccountClaims(must(srv.LookupAccount(name))(t), claims) // which disconnects the user
	queuetest.Until(t, "connected as the second user", func() bool {
		all := must(srv.Connz(&server.ConnzOptions{Username: true, State: server.ConnOpen}))(t).Conns
		return len(all) == 1 && all[0].AuthorizedUser == second
	})
	queuetest.Until(t, "readiness", func() bool { return q.Check(t.Context()) == nil })
}

// TestKeyOfContextReplaced: the NKey that a NATS context names is read again when the connection
// is made, as after an operator replaced the user, and the one before stays in use while its
// file is broken.
func TestKeyOfContextReplaced(t *testing.T) {
	t.Parallel()
	issue := func() (*server.NkeyUser, []byte) {
		user := must(nkeys.CreateUser())(t)
		return &server.NkeyUser{Nkey: must(user.PublicKey())(t)}, must(user.Seed())(t)
	}
	first, seed := issue()
	second, secondSeed := issue()
	started := &server.Options{Nkeys: []*server.NkeyUser{first}}
	srv := guarded(t, started)
	file := save(t, filepath.Join(t.TempDir(), "user.nk"), seed)
	context := save(t, filepath.Join(t.TempDir(), "context.json"),
		must(json.Marshal(natscontext.Settings{URL: srv.ClientURL(), NKey: file}))(t))
	var failed failures
	q := open(t, queue.Options{Options: streams.Options{Options: natsio.Options{Context: context, Failed: failed.count}}})
	serves(t, q)

	save(t, file, []byte("broken"))
	reconnects(t, q)
	if failed.credentials.Load() == 0 {
		t.Error("a broken key file was not reported")
	}

	save(t, file, secondSeed)
	opts := *started
	opts.Port = portOf(t, srv)
	opts.Nkeys = []*server.NkeyUser{second}
	if err := srv.ReloadOptions(&opts); err != nil { // which disconnects the first user
		t.Fatal(err)
	}
	queuetest.Until(t, "connected as the second user", func() bool {
		all := must(srv.Connz(&server.ConnzOptions{Username: true, State: server.ConnOpen}))(t).Conns
		return len(all) == 1 && all[0].AuthorizedUser == second.Nkey
	})
	queuetest.Until(t, "readiness", func() bool { return q.Check(t.Context()) == nil })
}

func portOf(t *testing.T, srv *server.Server) int {
	t.Helper()
	at, ok := srv.Addr().(*net.TCPAddr)
	if !ok {
		t.Fatal("the server listens on no port")
	}
	return at.Port
}
