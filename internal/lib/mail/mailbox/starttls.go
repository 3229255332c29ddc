package mailbox

import (
	"bytes"
	"errors"
	"io"
	"net"
	"strings"

	"github.com/helve-dev/helve/internal/lib/mail"
	"github.com/helve-dev/helve/tool"
)

// secure returns the stream of IMAP on a connection, encrypted as the entry says.
//
// The client library could do STARTTLS itself, but would read the unencrypted lines without
// the scanner, and its answer to a server that is silent is to wait.
func secure(conn *mail.Conn, server *mail.Server) (net.Conn, error) {
	switch server.Security {
	case mail.TLS:
		return conn.Encrypt()
	case mail.StartTLS:
		if err := startTLS(conn, server); err != nil {
			return nil, err
		}
		secured, err := conn.Encrypt()
		if err != nil {
			return nil, err
		}
		// After STARTTLS a server sends no second greeting, which the client waits for.
		return &greeted{Conn: secured, greeting: strings.NewReader("* OK encrypted\r\n")}, nil
	default:
		return conn, nil
	}
}

// greeted is a stream behind a greeting.
type greeted struct {
	net.Conn

	greeting *strings.Reader
}

// Read implements [net.Conn].
func (g *greeted) Read(b []byte) (int, error) {
	if g.greeting.Len() > 0 {
		return g.greeting.Read(b)
	}
	return g.Conn.Read(b)
}

// startTLS reads the greeting and has the server begin TLS (RFC 9051, 6.2.1).
func startTLS(conn io.ReadWriter, server *mail.Server) error {
	const mostLines = 100
	greeting, err := line(conn)
	switch {
	case err != nil:
		return err
	case !strings.HasPrefix(strings.ToUpper(greeting), "* OK"):
		return tool.Fail(tool.NetworkError, "%s refused the connection (%s)", server.Address(), server.Clean(greeting))
	}
	if _, err := io.WriteString(conn, "a STARTTLS\r\n"); err != nil {
		return err
	}
	for range mostLines {
		answer, err := line(conn)
		if err != nil {
			return err
		}
		words := strings.Fields(strings.ToUpper(answer))
		if len(words) < 2 || words[0] != "A" {
			continue
		}
		if words[1] == "OK" {
			return nil
		}
		return tool.Fail(tool.NotConfigured,
			"%[1]s offers no STARTTLS (%[2]s), and a password is never sent unencrypted. If it takes TLS from the start: "+
				"helve config set imap tls=tls port=993",
			server.Address(), server.Clean(answer))
	}
	return server.Senseless(errors.New("no answer to STARTTLS"))
}

// line reads one line byte by byte, so that nothing behind it is taken from TLS.
func line(r io.Reader) (string, error) {
	const longest = 8 << 10
	var text bytes.Buffer
	var one [1]byte
	for text.Len() < longest {
		if _, err := io.ReadFull(r, one[:]); err != nil {
			return "", err
		}
		if one[0] == '\n' {
			return strings.TrimRight(text.String(), "\r"), nil
		}
		text.WriteByte(one[0])
	}
	return "", errors.New("a line is too long")
}
