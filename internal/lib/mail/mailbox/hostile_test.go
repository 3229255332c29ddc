package mailbox

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"

	"github.com/helve-dev/helve/internal/lib/mail/mailtest"
	"github.com/helve-dev/helve/tool"
)

// hang in place of a reply stops the conversation.
const hang = "\x00hang"

// leave in place of a reply ends the connection.
const leave = "\x00leave"

// usualReplies are those of a server with one mail.
var usualReplies = map[string]string{
	"greeting":   "* PREAUTH [CAPABILITY IMAP4rev1 UIDPLUS MOVE] hello\r\n",
	"CAPABILITY": "* CAPABILITY IMAP4rev1 UIDPLUS MOVE\r\n{tag} OK\r\n",
	"LIST":       "* LIST () \"/\" INBOX\r\n{tag} OK\r\n",
	"EXAMINE":    "* 1 EXISTS\r\n* OK [UIDVALIDITY 7]\r\n{tag} OK [READ-ONLY]\r\n",
	"SELECT":     "* 1 EXISTS\r\n* OK [UIDVALIDITY 7]\r\n{tag} OK\r\n",
	"UID SEARCH": "* SEARCH 5\r\n{tag} OK\r\n",
	"UID FETCH":  "* 1 FETCH (UID 5 RFC822.SIZE 30 FLAGS () BODY[] {16}\r\nSubject: x\r\n\r\nhi)\r\n{tag} OK\r\n",
	"UID STORE":  "{tag} OK\r\n",
	"LOGOUT":     "* BYE\r\n{tag} OK\r\n",
}

// scripted starts a server with some replies changed, and returns a function that opens its
// mailbox. The channel is closed where the conversation hangs.
func scripted(t *testing.T, changed map[string]string) (open func(ctx context.Context) (*Session, error), hung chan struct{}) {
	t.Helper()
	hung = make(chan struct{})
	host, port := mailtest.Script(t, func(conn net.Conn) {
		lines := bufio.NewReader(conn)
		reply := func(command, tag string) bool {
			text, special := changed[command]
			if !special {
				text = usualReplies[command]
			}
			text, _, leaves := strings.Cut(text, leave)
			before, _, stops := strings.Cut(text, hang)
			if _, err := io.WriteString(conn, strings.ReplaceAll(before, "{tag}", tag)); err != nil {
				return false
			}
			if stops {
				close(hung)
				_, _ = io.Copy(io.Discard, conn) // until the client leaves
			}
			return !stops && !leaves
		}
		for ok := reply("greeting", ""); ok; {
			line, err := lines.ReadString('\n')
			words := strings.Fields(line)
			if err != nil || len(words) < 2 {
				return
			}
			command := words[1]
			if command == "UID" && len(words) > 2 {
				command += " " + words[2]
			}
			ok = reply(command, words[0])
		}
	})
	return func(ctx context.Context) (*Session, error) {
		return Open(ctx, direct{}, account(t, host, port, "tls", "none"))
	}, hung
}

// use reads the first mail of a mailbox, as the tools do.
func use(ctx context.Context, open func(ctx context.Context) (*Session, error)) error {
	s, err := open(ctx)
	if err != nil {
		return err
	}
	defer s.Close()
	found, err := s.Search("", &Query{Limit: 5})
	if err != nil {
		return err
	}
	if len(found.Mails) == 0 {
		return tool.Fail(tool.NotFound, "no mail")
	}
	_, _, err = s.Read(found.Mails[0].ID, "", true, nil)
	return err
}

func TestScript(t *testing.T) {
	open, _ := scripted(t, nil)
	if err := use(within(t), open); err != nil {
		t.Fatal(err)
	}
}

// TestHanging cancels a call where its server is silent. No goroutine may be left.
func TestHanging(t *testing.T) {
	for command, reply := range map[string]string{
		"greeting": hang, "CAPABILITY": hang, "LIST": "* LIST () \"/\" INBOX\r\n" + hang, "EXAMINE": "* 1 EXISTS\r\n" + hang, "UID SEARCH": hang,
		"UID FETCH": "* 1 FETCH (UID 5 RFC822.SIZE 30 BODY[] {16}\r\nSubj" + hang, "UID STORE": hang, "SELECT": hang,
	} {
		t.Run(command, func(t *testing.T) {
			changed := map[string]string{command: reply}
			if command == "CAPABILITY" {
				changed["greeting"] = "* PREAUTH hello\r\n"
			}
			open, hung := scripted(t, changed)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			go func() {
				<-hung
				cancel()
			}()
			if err := use(ctx, open); kind(err) != tool.Cancelled {
				t.Errorf("error %v, want cancelled", err)
			}
		})
	}
}

// TestGarbage has servers that answer with nonsense, or with more than anybody needs.
func TestGarbage(t *testing.T) {
	deep := strings.Repeat("(", 7<<20) // which would overflow the stack
	for _, tt := range []struct {
		name, command, reply string
		want                 tool.Kind
	}{
		{"not IMAP", "greeting", "HTTP/1.1 400 Bad Request\r\n\r\n", tool.ExecutionError},
		{"binary", "greeting", "\x16\x03\x01\x00\xff\xff\r\n", tool.ExecutionError},
		{"closes", "greeting", leave, tool.NetworkError},
		{"busy", "greeting", "* BYE [UNAVAILABLE] later\r\n", tool.NetworkError},
		{"endless line", "greeting", "* OK " + strings.Repeat("x", 9<<20), tool.ExecutionError},
		{"nested structure", "UID FETCH", "* 1 FETCH (UID 5 BODYSTRUCTURE " + deep, tool.ExecutionError},
		{"nested structure, not requested", "UID SEARCH", "* 1 FETCH (BODYSTRUCTURE " + deep, tool.ExecutionError},
		{"nested, behind a false literal", "UID SEARCH", "* OK {2000000}\r\n* 1 FETCH (BODYSTRUCTURE " + deep, tool.ExecutionError},
		{"nested, behind a number", "UID SEARCH", "* 5 OK {2000000}\r\n* 1 FETCH (BODYSTRUCTURE " + deep, tool.ExecutionError},
		{
			"nested, in a code without an end", "UID SEARCH", "* OK [X\r\n* 1 FETCH (BODY[] {99}\r\n] x\r\n* 1 FETCH (BODYSTRUCTURE " + deep,
			tool.ExecutionError,
		},
		{
			"nested, behind a quoted line end", "UID SEARCH", "* LIST () \"\r\n* OK {2000000}\r\n\" x\r\n* 1 FETCH (BODYSTRUCTURE " + deep,
			tool.ExecutionError,
		},
		{"huge literal", "UID FETCH", "* 1 FETCH (UID 5 BODY[] {9999999999}\r\n" + strings.Repeat("x", 9<<20), tool.ExecutionError},
		{"literal without end", "UID FETCH", "* 1 FETCH (UID 5 BODY[] {99\r\n", tool.ExecutionError},
		{"negative literal", "UID FETCH", "* 1 FETCH (UID 5 BODY[] {-1}\r\n", tool.ExecutionError},
		{"unknown tag", "UID SEARCH", "* SEARCH 1\r\nZ9 OK\r\n", tool.ExecutionError},
		{"billions of mails", "UID SEARCH", "* ESEARCH (TAG \"{tag}\") UID ALL 1:4294967295\r\n{tag} OK\r\n", tool.NotFound},
		{"no mails", "UID SEARCH", "* SEARCH\r\n{tag} OK\r\n", tool.NotFound},
		{"other mails than requested", "UID FETCH", "* 1 FETCH (UID 77 FLAGS ())\r\n{tag} OK\r\n", tool.NotFound},
		{"no mail in the answer", "UID FETCH", "{tag} OK\r\n", tool.NotFound},
		{"refuses", "UID SEARCH", "{tag} NO [SERVERBUG] \x01\x02 broken\r\n", tool.ExecutionError},
		{"no such folder", "EXAMINE", "{tag} NO no\r\n", tool.NotFound},
		{"leaves", "UID FETCH", "* BYE bye\r\n" + leave, tool.NetworkError},
		{"leaves in a mail", "UID FETCH", "* 1 FETCH (UID 5 BODY[] {99}\r\nx" + leave, tool.NetworkError},
		{"hangs", "UID FETCH", "* BYE bye\r\n" + hang, tool.Cancelled},
		{"many folders", "LIST", strings.Repeat("* LIST () NIL a\r\n", maxFolders+1), tool.ExecutionError},
	} {
		t.Run(tt.name, func(t *testing.T) {
			open, hung := scripted(t, map[string]string{tt.command: tt.reply})
			ctx, cancel := context.WithCancel(within(t))
			defer cancel()
			go func() {
				select {
				case <-hung:
					cancel()
				case <-ctx.Done():
				}
			}()
			err := use(ctx, open)
			if kind(err) != tt.want {
				t.Errorf("error %v, want %s", err, tt.want)
			}
			if strings.ContainsAny(fmt.Sprint(tool.AsError(err).Msg), "\r\n\x01\x16") {
				t.Errorf("the message %q has control characters", tool.AsError(err).Msg)
			}
		})
	}
}

// Plain text behind the answer to STARTTLS is not taken as if it had been encrypted, and a
// server that has signed the connection in before TLS is refused.
func TestStartTLSInjection(t *testing.T) {
	for name, talk := range map[string]string{
		"injected":   "a OK go\r\n* PREAUTH injected\r\n",
		"no TLS":     "a BAD what?\r\n",
		"signed in":  "",
		"not a word": "\r\n\r\na\r\na OK go\r\nx",
	} {
		host, port := mailtest.Script(t, func(conn net.Conn) {
			greeting := "* OK hello\r\n"
			if name == "signed in" {
				greeting = "* PREAUTH hello\r\n"
			}
			_, _ = io.WriteString(conn, greeting)
			if _, err := bufio.NewReader(conn).ReadString('\n'); err == nil {
				_, _ = io.WriteString(conn, talk)
			}
		})
		s, err := Open(within(t), direct{}, account(t, host, port, "tls", "starttls", "password", mailtest.Password))
		if err == nil {
			s.Close()
			t.Errorf("%s: the connection was used", name)
		}
		if k := kind(err); k != tool.NetworkError && k != tool.NotConfigured {
			t.Errorf("%s: error %v", name, err)
		}
	}
}
