package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/helve-dev/helve/client"
)

// consentPrompt asks the person at the terminal about calls that await consent. A nil
// prompt asks nothing: the decision is then made elsewhere.
type consentPrompt struct {
	in     *bufio.Reader
	out    io.Writer
	client *client.Client
	asked  map[string]bool
}

// consentPrompt returns the prompt of the terminal, or nil if standard input is not a
// terminal.
func (s *session) consentPrompt(cmd *cobra.Command) *consentPrompt {
	in, ok := cmd.InOrStdin().(*os.File)
	if !ok || !isTerminal(in) {
		return nil
	}
	return s.promptOn(cmd, in)
}

func (s *session) promptOn(cmd *cobra.Command, in io.Reader) *consentPrompt {
	person := *s
	person.who.Agent = "" // the agent that asked cannot approve
	c, err := person.client(cmd, client.WithRetryFor(outage))
	if err != nil {
		return nil // cannot fail: it was created with the same flags before
	}
	return &consentPrompt{in: bufio.NewReader(in), out: cmd.ErrOrStderr(), client: c, asked: map[string]bool{}}
}

// decide asks about each call that awaits consent, once.
func (p *consentPrompt) decide(ctx context.Context, results []client.Result) {
	if p == nil {
		return
	}
	for _, r := range results {
		if r.State != client.StateAwaitingConsent || r.ConsentID == "" || p.asked[r.ConsentID] {
			continue
		}
		p.asked[r.ConsentID] = true
		if err := p.ask(ctx, r.ConsentID); err != nil {
			fmt.Fprintf(p.out, "%v; decide with `helve consent grant %s` or deny\n", err, r.ConsentID)
		}
	}
}

const (
	answers = "[y]es once, for this [s]ession, [a]lways, [n]o, n[e]ver ask again? "
	// programAnswers are the answers about a step of a program that may be approved for its rest.
	programAnswers = "[y]es once, for this [p]rogram, for this [s]ession, [a]lways, [n]o, n[e]ver ask again? "
)

func (p *consentPrompt) ask(ctx context.Context, id string) error {
	asked, err := p.client.Consent(ctx, id)
	if err != nil || asked.Status != client.ConsentPending {
		return err
	}
	if asked.Kind == client.ConsentQuestion {
		return p.answer(ctx, &asked)
	}
	if err := printConsent(p.out, &asked); err != nil {
		return err
	}
	if asked.Kind == client.ConsentAccount {
		return nil // it goes on when the account is connected
	}
	offered, forProgram := answers, asked.Program != nil && asked.Program.Covers != ""
	if forProgram {
		offered = programAnswers
	}
	for {
		fmt.Fprint(p.out, offered)
		line, err := p.in.ReadString('\n')
		if d, ok := decisionOf(line); ok && (forProgram || d.Remember != client.RememberProgram) {
			return p.tell(ctx, id, d)
		}
		if err != nil {
			return fmt.Errorf("no answer was read: %w", err)
		}
	}
}

// tell sends the decision and prints the status that follows from it.
func (p *consentPrompt) tell(ctx context.Context, id string, d client.Decision) error {
	decided, err := p.client.Decide(ctx, id, d)
	if refused, ok := errors.AsType[*client.RequestError](err); ok && refused.Type == client.Conflict {
		return nil // somebody else decided first; the call continues
	}
	if err == nil {
		fmt.Fprintln(p.out, decided.Status)
	}
	return err
}

// decisionOf returns the decision typed in line.
func decisionOf(line string) (client.Decision, bool) {
	switch strings.ToLower(strings.TrimSpace(line)) {
	case "y", "yes", "once", "grant":
		return client.Decision{Grant: true, Remember: client.RememberOnce}, true
	case "p", "program":
		return client.Decision{Grant: true, Remember: client.RememberProgram}, true
	case "s", "session":
		return client.Decision{Grant: true, Remember: client.RememberSession}, true
	case "a", "always":
		return client.Decision{Grant: true, Remember: client.RememberAlways}, true
	case "n", "no", "deny":
		return client.Decision{}, true
	case "e", "never":
		return client.Decision{NeverAsk: true}, true
	}
	return client.Decision{}, false
}
