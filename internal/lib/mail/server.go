package mail

import (
	"cmp"
	"context"
	"crypto/x509"
	"net"
	"strconv"
	"strings"

	"github.com/helve-dev/helve/internal/lib/outward"
	"github.com/helve-dev/helve/tool"
)

// The services whose entries describe mail servers.
const (
	SMTP = "smtp"
	IMAP = "imap"
)

// The values of the field tls.
const (
	StartTLS = "starttls"
	TLS      = "tls"
	Plain    = "none"
)

// Server is a mail server, and the account on it.
type Server struct {
	// Service is SMTP or IMAP.
	Service string
	// Host and Port are its address, and Security one of StartTLS, TLS and Plain.
	Host, Port, Security string
	// User is the name to sign in with; empty to send without signing in.
	User string

	data     map[string]string
	password string
	// account is the service whose access token signs in, in place of a password, entry the
	// entry that the token is of, and secrets the port that replaces it.
	account string
	entry   tool.ServiceEntry
	secrets tool.Secrets
	roots   *x509.CertPool
	shared  bool
}

// needs returns the purpose of a service, and how an entry is set.
func needs(service string) outward.Service {
	if service == SMTP {
		return outward.Service{Name: SMTP, Use: "to send mails", Set: "host=HOST from=ADDRESS user=NAME --stdin password"}
	}
	return outward.Service{Name: IMAP, Use: "to read mails", Set: "host=HOST user=NAME --stdin password"}
}

// Find returns the server of the first active entry of a service that the call may use. The
// error is not_configured if there is none or it cannot be used, or that of the config
// center.
func Find(ctx context.Context, call *tool.Call, service string) (*Server, error) {
	s, err := FindIf(ctx, call, service)
	if s == nil && err == nil {
		return nil, outward.Missing(call, needs(service))
	}
	return s, err
}

// FindIf is Find, but returns nil and no error if there is no entry.
func FindIf(ctx context.Context, call *tool.Call, service string) (*Server, error) {
	entries, err := call.Secrets.Entries(ctx, service)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		if e.Active {
			return Of(ctx, call.Secrets, service, e)
		}
	}
	return nil, nil
}

// Of returns the server of an entry. The error is not_configured if the entry cannot be used.
func Of(ctx context.Context, secrets tool.Secrets, service string, e tool.ServiceEntry) (*Server, error) {
	field := func(name string) string { return strings.TrimSpace(e.Data[name]) }
	s := &Server{
		Service: service, Host: strings.Trim(field("host"), "[]"), Port: field("port"), Security: field("tls"), User: field("user"),
		data: e.Data, password: e.Data["password"], account: field("account"), shared: e.Shared,
	}
	s.Port = cmp.Or(s.Port, map[string]string{SMTP: "587", IMAP: "993"}[service])
	s.Security = cmp.Or(s.Security, usual(service, s.Port))
	if service == SMTP && s.account != "" {
		s.User = cmp.Or(s.User, s.Sender())
	}
	if err := s.check(); err != nil {
		return nil, err
	}
	if s.account != "" {
		return s, s.connectAccount(ctx, secrets)
	}
	return s, nil
}

// usual returns how connections to a port are encrypted if the entry does not say.
func usual(service, port string) string {
	switch {
	case port == "465", service == IMAP && port != "143":
		return TLS
	default:
		return StartTLS
	}
}

func (s *Server) check() error {
	port, err := strconv.Atoi(s.Port)
	switch {
	case s.Host == "" || net.ParseIP(s.Host) == nil && strings.ContainsAny(s.Host, "/@?#\\:%[] \t"):
		return s.misset("has no usable host", "host=mail.example.com")
	case err != nil || port < 1 || port > 65535:
		return s.misset("has a port that is none", "port=587")
	case s.Security != TLS && s.Security != StartTLS && s.Security != Plain:
		return s.misset("has a value of tls that is none of tls, starttls and none", "tls=starttls")
	case s.Service == IMAP && s.password == "" && s.account == "" && s.Security != Plain:
		return s.misset("has no password", "--stdin password")
	case s.User == "" && s.password != "":
		return s.misset("has a password and no user", "user=NAME")
	case s.Security == Plain && (s.password != "" || s.account != ""):
		return s.misset("says tls=none, and a password is never sent unencrypted", "tls=starttls")
	}
	if pem := s.Field("ca"); pem != "" {
		s.roots = x509.NewCertPool()
		if !s.roots.AppendCertsFromPEM([]byte(pem)) {
			return s.misset("has no certificate in ca", "--from-file ca=FILE.pem")
		}
	}
	return nil
}

// misset returns the error for an entry that cannot be used, with the command that corrects it.
func (s *Server) misset(what, set string) error {
	return tool.Fail(tool.NotConfigured, "The entry of the service %[1]q %[2]s. Correct it: helve config set %[1]s %[3]s",
		s.Service, what, set)
}

// connectAccount takes the access token of the account in place of a password.
func (s *Server) connectAccount(ctx context.Context, secrets tool.Secrets) error {
	entries, err := secrets.Entries(ctx, s.account)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if token := strings.TrimSpace(e.Data[tool.AccessToken]); e.Active && token != "" {
			s.password, s.entry, s.secrets = token, e, secrets
			return nil
		}
	}
	return tool.Fail(tool.NotConfigured,
		"No account of the service %[1]q is connected, with which the service %[2]q signs in. Connect it: helve config connect %[1]s",
		s.account, s.Service)
}

// Field returns the value of a field of the entry, without blanks around it.
func (s *Server) Field(name string) string { return strings.TrimSpace(s.data[name]) }

// Address returns host and port.
func (s *Server) Address() string { return net.JoinHostPort(s.Host, s.Port) }

// Secret returns the password or the access token; empty if nothing signs in.
func (s *Server) Secret() string { return s.password }

// Token reports whether Secret is an access token.
func (s *Server) Token() bool { return s.account != "" }

// String returns a text without secrets, for any code that prints the server.
func (s *Server) String() string { return s.Service + " server " + s.Address() }

// GoString returns String, for %#v.
func (s *Server) GoString() string { return s.String() }

// Refused returns the error for a server that refused the credentials, with its reply and
// the cause, which may be nil.
func (s *Server) Refused(reply string, cause error) *tool.Error {
	reply = s.Clean(reply)
	if reply != "" {
		reply = " (" + reply + ")"
	}
	if s.account != "" {
		return tool.Fail(tool.NotConfigured, "%[1]s refused the account of the service %[2]q%[3]s. Connect it again: helve config connect %[2]s",
			s.Address(), s.account, reply).Because(&refusal{s.Quiet(cause)})
	}
	return tool.Fail(tool.NotConfigured,
		"%[1]s refused the user and password of the service %[2]q%[3]s. Set them: helve config set %[2]s user=NAME --stdin password",
		s.Address(), s.Service, reply).Because(&refusal{s.Quiet(cause)})
}

// Sender returns the plain address of the field from.
func (s *Server) Sender() string {
	from := s.Field("from")
	if i := strings.LastIndexByte(from, '<'); i >= 0 {
		from = strings.TrimSuffix(strings.TrimSpace(from[i+1:]), ">")
	}
	return from
}
