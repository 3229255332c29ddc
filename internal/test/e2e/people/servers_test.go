package people

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"text/template"
	"time"

	"github.com/helve-dev/helve/internal/lib/mail/mailtest"
	"github.com/helve-dev/helve/internal/test/e2e/system"
)

// mailPeople are the people of the test, with their passwords.
var mailPeople = map[string]string{"ann@example.test": "correct horse", "ben@example.test": "battery \"staple\\"}

// mailToken is an access token of ann.
const mailToken = "access-token-of-ann"

// mailServers are Postfix and Dovecot.
type mailServers struct {
	Dir, Token            string
	authority             *mailtest.Authority
	SMTP, SMTPS           string // ports of Postfix: STARTTLS and TLS
	IMAP, IMAPS           string // ports of Dovecot: STARTTLS and TLS
	Delivery, Credentials string // ports of Dovecot for Postfix
	// Outside is the port of all other domains, which take no mail.
	Outside             string
	MailUser, MailGroup string
}

const dovecotConf = `base_dir = {{.Dir}}/run
state_dir = {{.Dir}}/state
log_path = {{.Dir}}/dovecot.log
protocols = imap lmtp
listen = 127.0.0.1
ssl = required
ssl_cert = <{{.Dir}}/cert.pem
ssl_key = <{{.Dir}}/key.pem
auth_mechanisms = plain login xoauth2
mail_location = maildir:{{.Dir}}/mail/%u
first_valid_uid = 1
passdb {
  driver = oauth2
  mechanisms = xoauth2
  args = {{.Dir}}/oauth2.conf
}
passdb {
  driver = passwd-file
  mechanisms = plain login
  args = scheme=PLAIN {{.Dir}}/users
}
userdb {
  driver = static
  args = uid={{.MailUser}} gid={{.MailGroup}} home={{.Dir}}/mail/%u allow_all_users=yes
}
service imap-login {
  inet_listener imap {
    port = {{.IMAP}}
  }
  inet_listener imaps {
    port = {{.IMAPS}}
    ssl = yes
  }
}
service lmtp {
  inet_listener lmtp {
    port = {{.Delivery}}
  }
}
service auth {
  inet_listener {
    port = {{.Credentials}}
  }
}
namespace inbox {
  inbox = yes
  separator = /
  mailbox Trash {
    special_use = \Trash
    auto = create
  }
  mailbox Sent {
    special_use = \Sent
    auto = create
  }
  mailbox Büro {
    auto = create
  }
}
`

const oauth2Conf = `tokeninfo_url = {{.Token}}/?access_token=
username_attribute = email
active_attribute = active
active_value = true
`

const postfixMain = `compatibility_level = 3.6
queue_directory = {{.Dir}}/queue
data_directory = {{.Dir}}/data
maillog_file = {{.Dir}}/postfix.log
maillog_file_prefixes = {{.Dir}}
inet_interfaces = 127.0.0.1
inet_protocols = ipv4
myhostname = mail.example.test
mydestination =
virtual_mailbox_domains = example.test
virtual_mailbox_maps = inline:{ann@example.test=1, ben@example.test=1}
virtual_transport = lmtp:inet:127.0.0.1:{{.Delivery}}
default_transport = lmtp:inet:127.0.0.1:{{.Outside}}
relay_transport = lmtp:inet:127.0.0.1:{{.Outside}}
smtpd_tls_cert_file = {{.Dir}}/cert.pem
smtpd_tls_key_file = {{.Dir}}/key.pem
smtpd_tls_security_level = encrypt
smtpd_sasl_auth_enable = yes
smtpd_sasl_type = dovecot
smtpd_sasl_path = inet:127.0.0.1:{{.Credentials}}
smtpd_relay_restrictions = permit_sasl_authenticated, reject
smtpd_recipient_restrictions = reject_unlisted_recipient, permit_sasl_authenticated, reject
smtpd_client_connection_rate_limit = 0
message_size_limit = 60000000
mailbox_size_limit = 0
alias_maps =
`

const postfixMaster = `127.0.0.1:{{.SMTP}} inet n - n - - smtpd
127.0.0.1:{{.SMTPS}} inet n - n - - smtpd -o smtpd_tls_wrappermode=yes
pickup unix n - n 60 1 pickup
cleanup unix n - n - 0 cleanup
qmgr unix n - n 300 1 qmgr
tlsmgr unix - - n 1000? 1 tlsmgr
rewrite unix - - n - - trivial-rewrite
bounce unix - - n - 0 bounce
defer unix - - n - 0 bounce
trace unix - - n - 0 bounce
proxymap unix - - n - - proxymap
error unix - - n - - error
retry unix - - n - - error
lmtp unix - - n - - lmtp
anvil unix - - n - 1 anvil
postlog unix-dgram n - n - 1 postlogd
`

// missingServers returns why the servers cannot run here.
func missingServers() string {
	var lacks []string
	if os.Geteuid() != 0 {
		lacks = append(lacks, "root")
	}
	for _, program := range []string{"/usr/sbin/postfix", "/usr/sbin/dovecot", "/usr/lib/dovecot/imap", "/usr/lib/dovecot/lmtp"} {
		if _, err := os.Stat(program); err != nil {
			lacks = append(lacks, program)
		}
	}
	return strings.Join(lacks, ", ")
}

// startMailServers starts Dovecot and Postfix.
func startMailServers(t *testing.T) *mailServers {
	t.Helper()
	if lacks := missingServers(); lacks != "" {
		if os.Getenv("HELVE_TEST_MAIL") != "" {
			t.Fatalf("HELVE_TEST_MAIL is set, but the mail servers lack %s", lacks)
		}
		t.Skipf("mail is NOT tested against Postfix and Dovecot: they lack %s; install the packages postfix, dovecot-imapd and dovecot-lmtpd",
			lacks)
	}
	dir, err := os.MkdirTemp("", "mail") //nolint:usetesting // a short path, as a socket's must be, which the servers' users may enter
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	introspect := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.FormValue("access_token") != mailToken {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		_, _ = fmt.Fprint(w, `{"email":"ann@example.test","active":"true"}`)
	}))
	t.Cleanup(introspect.Close)
	s := &mailServers{
		Dir: dir, Token: introspect.URL, authority: mailtest.NewAuthority(t, "127.0.0.1"), MailUser: "nobody", MailGroup: "nogroup",
	}
	_, s.Outside = mailtest.Script(t, outside)
	for _, port := range []*string{&s.SMTP, &s.SMTPS, &s.IMAP, &s.IMAPS, &s.Delivery, &s.Credentials} {
		*port = freePort(t)
	}
	s.write(t)
	dovecot := []string{"/usr/sbin/dovecot", "-c", filepath.Join(dir, "dovecot.conf")}
	s.run(t, "dovecot", append(dovecot, "-F"), append(dovecot, "stop"), s.IMAP, s.Delivery, s.Credentials)
	postfix := []string{"/usr/sbin/postfix", "-c", filepath.Join(dir, "postfix")}
	s.run(t, "postfix", append(postfix, "start-fg"), append(postfix, "stop"), s.SMTP, s.SMTPS)
	return s
}

// outside speaks LMTP (RFC 2033), and refuses each recipient.
func outside(conn net.Conn) {
	say := func(text string) bool {
		_, err := fmt.Fprint(conn, text+"\r\n")
		return err == nil
	}
	ok := say("220 outside")
	for lines := bufio.NewScanner(conn); ok && lines.Scan(); {
		switch word, _, _ := strings.Cut(lines.Text(), " "); strings.ToUpper(word) {
		case "RCPT":
			ok = say("550 5.1.1 there is nobody outside of this test")
		case "DATA":
			ok = say("503 5.5.1 no recipients")
		default:
			ok = say("250 ok")
		}
	}
}

// freePort returns a port that is free now.
func freePort(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	_, port, err := net.SplitHostPort(l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	return port
}

// write writes the configuration of both.
func (s *mailServers) write(t *testing.T) {
	t.Helper()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(os.Chmod(s.Dir, 0o755))
	for _, sub := range []string{"postfix", "queue", "data", "mail"} {
		must(os.Mkdir(filepath.Join(s.Dir, sub), 0o755))
	}
	var users strings.Builder
	for name, password := range mailPeople {
		fmt.Fprintf(&users, "%s:{PLAIN}%s\n", name, password)
	}
	for name, text := range map[string]string{
		"cert.pem": s.authority.Cert, "key.pem": s.authority.Key, "users": users.String(), "dovecot.conf": dovecotConf, "oauth2.conf": oauth2Conf,
		"postfix/main.cf": postfixMain, "postfix/master.cf": postfixMaster,
	} {
		var filled bytes.Buffer
		must(template.Must(template.New(name).Parse(text)).Execute(&filled, s))
		must(os.WriteFile(filepath.Join(s.Dir, name), filled.Bytes(), 0o644))
	}
	must(os.Chmod(filepath.Join(s.Dir, "key.pem"), 0o600))
	chown(t, filepath.Join(s.Dir, "data"), "postfix")
	chown(t, filepath.Join(s.Dir, "mail"), s.MailUser)
}

func chown(t *testing.T, path, user string) {
	t.Helper()
	if out, err := exec.CommandContext(t.Context(), "chown", user, path).CombinedOutput(); err != nil {
		t.Fatalf("chown %s: %v %s", user, err, out)
	}
}

// run starts a server, waits for its ports, and stops it at the end of the test. Postfix makes
// a session of its own, so a signal to what was started would not reach it.
func (s *mailServers) run(t *testing.T, name string, begin, end []string, ports ...string) {
	t.Helper()
	var out bytes.Buffer
	cmd := exec.Command(begin[0], begin[1:]...)
	cmd.Stdout, cmd.Stderr = &out, &out
	cmd.WaitDelay = time.Second // children of the server may hold its output
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		_ = cmd.Wait() // it is stopped
	}()
	t.Cleanup(func() {
		if said, err := exec.Command(end[0], end[1:]...).CombinedOutput(); err != nil {
			t.Errorf("%s does not stop: %v %s", name, err, said)
			_ = cmd.Process.Kill() // so that the test ends
		}
		<-gone
		if t.Failed() {
			const tail = 4000
			log, _ := os.ReadFile(filepath.Join(s.Dir, name+".log")) // it is only shown
			t.Logf("%s wrote:\n%s\n%s", name, &out, log[max(0, len(log)-tail):])
		}
	})
	for _, port := range ports {
		system.Eventually(t, name+" listens on "+port, func() bool {
			select {
			case <-gone:
				t.Fatalf("%s ended: %s", name, &out)
			default:
			}
			var d net.Dialer
			conn, err := d.DialContext(context.Background(), "tcp", "127.0.0.1:"+port)
			if err == nil {
				_ = conn.Close() // it was only tried
			}
			return err == nil
		})
	}
}
