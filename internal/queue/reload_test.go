package queue_test

import (
	"crypto/tls"
	"crypto/x509"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"

	"github.com/nats-io/jwt/v2"
	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nkeys"

	"github.com/helve-dev/helve/internal/natsio"
	"github.com/helve-dev/helve/internal/queue"
	"github.com/helve-dev/helve/internal/queue/queuetest"
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

// TestTLSFilesReplaced: the authorities and the certificate of a connection are read again
// when it is made, and those before stay in use while a file is broken.
func TestTLSFilesReplaced(t *testing.T) {
	t.Parallel()
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
		TLSConfig:  &tls.Config{Certificates: []tls.Certificate{own}, GetConfigForClient: func(*tls.ClientHelloInfo) (*tls.Config, error) { return present.Load(), nil }},
		TLSTimeout: queuetest.Patience.Seconds(),
	})
	var failed failures
	q := open(t, queue.Options{Options: natsio.Options{
		URL: srv.ClientURL(), ConnectTimeout: queuetest.Patience, CA: ca, Cert: cert, Key: key, Failed: failed.count,
	}})
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
	q := open(t, queue.Options{Options: natsio.Options{URL: srv.ClientURL(), Creds: creds, Failed: failed.count}})
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
