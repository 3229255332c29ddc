package mail

import (
	"context"
	"crypto/tls"

	"github.com/helve-dev/helve/tool"
)

// Connect opens a connection to the server, on which it may send the given number of bytes.
// It is not encrypted yet.
func (s *Server) Connect(ctx context.Context, dialer tool.Dialer, most int64) (*Conn, error) {
	if s.shared {
		ctx = tool.WithReach(ctx, s.Address())
	}
	raw, err := dialer.DialContext(ctx, "tcp", s.Address())
	if err != nil {
		return nil, s.unreachable(err)
	}
	return newConn(ctx, raw, s, most), nil
}

// TLSConfig returns the settings of TLS: the certificate must be that of the host, by the
// system's authorities or those of the entry.
func (s *Server) TLSConfig() *tls.Config {
	return &tls.Config{ServerName: s.Host, RootCAs: s.roots, MinVersion: tls.VersionTLS12}
}

// Encrypt makes TLS on the connection.
func (c *Conn) Encrypt() (*tls.Conn, error) {
	secured := tls.Client(c, c.server.TLSConfig())
	if err := secured.HandshakeContext(c.ctx); err != nil {
		_ = c.Close() // the handshake failed already
		return nil, c.Explain(err)
	}
	return secured, nil
}
