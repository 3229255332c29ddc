package natsio

import (
	"fmt"
	"net"
	"os"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nkeys"

	"github.com/helve-dev/helve/internal/bus/contextfile"
)

// contextLogin returns the options that log in with the files of a NATS context and read them
// again for each connection. Certificates and authorities need none: [Conn.keepTLS] wraps the
// options of the context.
func (c *Conn) contextLogin(name string) ([]nats.Option, error) {
	files, err := contextfile.Read(name)
	switch {
	case err != nil:
		return nil, err
	case files.User != "":
		return nil, nil
	case files.Creds != "":
		return []nats.Option{c.userCredentials(files.Creds)}, nil
	case files.NKey != "":
		return c.userKey(files.NKey)
	}
	return nil, nil
}

// userKey logs in with the seed of an NKey in a file.
//
// The client library signs with the seed that the file has at each connection, but sends the
// public key that it had at the first, which no server accepts once the key is replaced. So
// the dialer, which the library calls for each connection on the goroutine that then sends
// the public key, and with the lock of the connection held, sets the public key.
func (c *Conn) userKey(file string) ([]nats.Option, error) {
	pair := &lastGood[nkeys.KeyPair]{conn: c, read: func() (nkeys.KeyPair, error) { return readKey(file) }}
	first, err := publicKey(pair)
	if err != nil {
		return nil, err
	}
	sign := func(nonce []byte) ([]byte, error) {
		pair.mu.Lock()
		defer pair.mu.Unlock()
		return pair.value.Sign(nonce) // of the public key that was sent
	}
	renew := func(o *nats.Options) error {
		o.CustomDialer = renewingDialer{o.CustomDialer, func() {
			nc := c.made.Load()
			if nc == nil { // a first attempt, with the key of Connect
				return
			}
			if public, err := publicKey(pair); err == nil {
				nc.Opts.Nkey = public
			}
		}}
		return nil
	}
	return []nats.Option{nats.Nkey(first, sign), renew}, nil
}

func publicKey(pair *lastGood[nkeys.KeyPair]) (string, error) {
	key, err := pair.get()
	if err != nil {
		return "", err
	}
	return key.PublicKey()
}

// readKey returns the key pair of a user from the file of its seed.
func readKey(file string) (nkeys.KeyPair, error) {
	seed, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	pair, err := nkeys.ParseDecoratedUserNKey(seed)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return pair, nil
}

// renewingDialer calls before for each connection.
type renewingDialer struct {
	through nats.CustomDialer
	before  func()
}

// Dial implements [nats.CustomDialer].
func (d renewingDialer) Dial(network, address string) (net.Conn, error) {
	d.before()
	return d.through.Dial(network, address)
}
