package natsio

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nkeys"
)

// errCredentials means that a file of the connection could not be read again.
var errCredentials = errors.New("the file was changed and cannot be used; the one before stays in use")

// lastGood reads a file for each connection that is made, and keeps the last contents that
// could be used: a file that is being replaced, or was replaced by a broken one, does not
// keep the process from its server.
type lastGood[T any] struct {
	conn *Conn
	read func() (T, error)

	mu    sync.Mutex
	value T
	good  bool // value was read
}

func (l *lastGood[T]) get() (T, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	value, err := l.read()
	if err == nil {
		l.value, l.good = value, true
	}
	if err == nil || !l.good {
		return value, err
	}
	l.conn.report("nats credentials not read again", "", fmt.Errorf("%w: %w", errCredentials, err))
	return l.value, nil
}

// userCredentials logs in with a credentials file.
func (c *Conn) userCredentials(file string) nats.Option {
	text := &lastGood[[]byte]{conn: c, read: func() ([]byte, error) { return readCredentials(file) }}
	return nats.UserJWT(func() (string, error) {
		data, err := text.get()
		if err != nil {
			return "", err
		}
		return nkeys.ParseDecoratedJWT(data)
	}, func(nonce []byte) ([]byte, error) {
		text.mu.Lock()
		defer text.mu.Unlock()
		pair, err := nkeys.ParseDecoratedNKey(text.value) // of the JWT that was sent
		if err != nil {
			return nil, err
		}
		defer pair.Wipe()
		return pair.Sign(nonce)
	})
}

// readCredentials returns the contents of a credentials file if it has a JWT and a key.
func readCredentials(file string) ([]byte, error) {
	file = os.ExpandEnv(file)
	if rest, ok := strings.CutPrefix(file, "~/"); ok {
		home, err := os.UserHomeDir()
		if err != nil {
			return nil, err
		}
		file = filepath.Join(home, rest)
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	_, err = nkeys.ParseDecoratedJWT(data)
	if err == nil {
		_, err = nkeys.ParseDecoratedNKey(data)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return data, nil
}

// keepTLS makes the authorities and the certificate of a connection those that were read
// last without an error. It is the last option: it wraps what the others set.
func (c *Conn) keepTLS(o *nats.Options) error {
	if read := o.RootCAsCB; read != nil {
		authorities := &lastGood[*x509.CertPool]{conn: c, read: read}
		o.RootCAsCB = authorities.get
	}
	if read := o.TLSCertCB; read != nil {
		own := &lastGood[tls.Certificate]{conn: c, read: read}
		o.TLSCertCB = own.get
	}
	return nil
}
