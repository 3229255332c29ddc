package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/helve-dev/helve/client"
	"github.com/helve-dev/helve/client/chat"
)

const chatHelp = `Ask a model, which answers with the help of the tools.

The provider's key is read from its usual variable: OPENAI_API_KEY,
ANTHROPIC_API_KEY, GEMINI_API_KEY or GOOGLE_API_KEY. With --base-url any server
with a provider's API works, such as a local one, with or without a key.

The answer goes to standard output as it arrives, the tools' progress to standard
error. When a person must decide about a call, or a tool asks them a question, the
command asks on a terminal and waits for the decision elsewhere, or with --no-wait
ends with 1. With --state it stores the conversation in a file: the same command
continues where it stopped, even after a crash, and a new PROMPT adds to it.`

// outage is the longest silence of the server that a conversation outlasts.
const outage = time.Minute

// maxPrompt bounds the size of a prompt on standard input, in bytes.
const maxPrompt = 1 << 20

// conversation holds the flags of chat.
type conversation struct {
	model     chat.Options
	loop      client.Loop
	stateFile string
	noWait    bool

	said   map[string]bool // the states of calls already printed
	prompt *consentPrompt  // asks the person; nil without a terminal
}

func chatCommand(s *session) *cobra.Command {
	c := &conversation{said: map[string]bool{}}
	cmd := &cobra.Command{
		Use:   "chat [PROMPT] --provider NAME --model NAME",
		Short: "Ask a model that may use the tools",
		Long:  chatHelp,
		Example: `  helve chat "What time is it in Tokyo?" --provider openai --model gpt-5
  helve chat --provider anthropic --model claude-sonnet-4-5 --user ada < question.txt
  helve chat "Hello" --provider openai --model qwen3 --base-url http://localhost:11434/v1`,
	}
	flags := cmd.Flags()
	flags.StringVar(&c.model.Provider, "provider", "", "openai, openai_responses, anthropic or gemini")
	flags.StringVar(&c.model.Model, "model", "", "`NAME` of the model")
	flags.StringVar(&c.model.BaseURL, "base-url", "", "`URL` of a server in place of the provider's own; openai's ends in /v1")
	flags.StringVar(&c.model.System, "system", "", "system instruction of the model")
	flags.IntVar(&c.model.MaxTokens, "max-tokens", 0, "maximum tokens of one answer of the model")
	flags.IntVar(&c.loop.Rounds, "rounds", 0, "maximum model requests for one answer (default 20)")
	flags.IntVar(&c.loop.Tokens, "tokens", 0, "maximum tokens of one answer, if the provider reports them")
	flags.DurationVar(&c.loop.Time, "time", 0, "maximum duration of one answer")
	flags.StringVar(&c.loop.Tools.Group, "group", "", "offer only the tools of the group `NAME`")
	toolsetFlag(cmd, &s.who)
	flags.StringVar(&c.stateFile, "state", "", "store the conversation in `FILE`")
	flags.BoolVar(&c.noWait, "no-wait", false, "do not wait for a person's decision")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := c.check(); err != nil {
			return err
		}
		if err := s.reached(cmd); err != nil {
			return err
		}
		var err error
		if c.loop.Client, err = s.client(cmd, client.WithRetryFor(outage)); err != nil {
			return err
		}
		defer c.loop.Client.Close()
		if !c.noWait {
			c.prompt = s.consentPrompt(cmd)
		}
		c.loop.Context = s.who
		answer, err := c.run(cmd, strings.Join(args, " "), s.json)
		if err != nil && cmd.Context().Err() != nil {
			return errors.New("interrupted")
		}
		if err != nil {
			return err
		}
		if s.json {
			if err := printJSON(cmd.OutOrStdout(), answer); err != nil {
				return err
			}
		}
		return c.outcome(cmd, &answer, s.json)
	}
	return cmd
}

// reached returns an error if the server cannot be reached now: a new conversation does
// not wait for it.
func (s *session) reached(cmd *cobra.Command) error {
	c, err := s.client(cmd)
	if err != nil {
		return err
	}
	defer c.Close()
	_, err = c.Groups(cmd.Context())
	if errors.Is(err, client.ErrUnreachable) {
		return err
	}
	return nil // the loop reports any other error
}

// check creates the model from the flags.
func (c *conversation) check() (err error) {
	if c.model.Provider == "" || c.model.Model == "" {
		return Usage("give --provider and --model")
	}
	variables := chat.KeyVariable(c.model.Provider)
	for _, name := range variables {
		if c.model.Key == "" {
			c.model.Key = os.Getenv(name)
		}
	}
	if c.model.Key == "" && c.model.BaseURL == "" && len(variables) > 0 {
		return Usage("set %s to the provider's key, or --base-url to a server that needs none", strings.Join(variables, " or "))
	}
	if c.loop.Model, err = chat.New(c.model); err != nil {
		return Usage("%w", err)
	}
	return nil
}

// run asks the prompt, or continues an unfinished answer.
func (c *conversation) run(cmd *cobra.Command, prompt string, asJSON bool) (client.Answer, error) {
	state, err := c.restore()
	if err != nil {
		return client.Answer{}, err
	}
	out := cmd.OutOrStdout()
	if !asJSON {
		c.loop.Text = func(piece string) { _, _ = io.WriteString(out, piece) } // if the reader is gone, the conversation continues
	}
	c.loop.Results = func(results []client.Result) {
		c.tell(cmd.ErrOrStderr(), results)
		c.prompt.decide(cmd.Context(), results)
	}
	if !c.noWait {
		c.loop.Consent = client.ConsentWait
	}
	if c.stateFile != "" {
		c.loop.Save = c.save
	}
	if state.Message != nil {
		if prompt != "" {
			return client.Answer{}, Usage("the conversation in %s has calls without an answer; continue without a PROMPT first", c.stateFile)
		}
		return c.loop.Resume(cmd.Context(), state)
	}
	if prompt == "" {
		text, err := io.ReadAll(io.LimitReader(cmd.InOrStdin(), maxPrompt+1))
		if err != nil {
			return client.Answer{}, err
		}
		if prompt = strings.TrimSpace(string(text)); prompt == "" || len(text) > maxPrompt {
			return client.Answer{}, Usage("give a PROMPT of at most %d bytes, or write it to standard input", maxPrompt)
		}
	}
	return c.loop.Ask(cmd.Context(), state, prompt)
}

// tell prints the outcome of each call once, and the calls that wait for a person.
func (c *conversation) tell(w io.Writer, results []client.Result) {
	for _, r := range results {
		line := r.Tool + ": " + r.Status
		switch {
		case r.Status == client.StatusPending && r.ConsentID == "":
			continue
		case r.Status == client.StatusPending && r.ConnectURL != "":
			line = fmt.Sprintf("%s needs an account: connect it at %s", r.Tool, r.ConnectURL)
		case r.Status == client.StatusPending:
			line = fmt.Sprintf("%s: a person must decide: `helve consent show %s`", r.Tool, r.ConsentID)
		case r.Status == client.StatusError:
			line = fmt.Sprintf("%s: %s: %s", r.Tool, r.ErrorType, r.Message)
		case r.Duration > 0:
			line += " after " + r.Duration.Round(time.Millisecond/10).String()
		}
		if key := r.CallID + r.Status; !c.said[key] {
			c.said[key] = true
			fmt.Fprintln(w, line)
		}
	}
}

// outcome ends the line of the answer, and ends the command with 1 if there is no
// answer.
func (c *conversation) outcome(cmd *cobra.Command, a *client.Answer, asJSON bool) error {
	if !asJSON && a.Text != "" && !strings.HasSuffix(a.Text, "\n") {
		fmt.Fprintln(cmd.OutOrStdout())
	}
	switch {
	case a.Pending != nil:
		fmt.Fprintln(cmd.ErrOrStderr(), "pending: a person must decide; with --state the same command goes on after that")
	case a.Refused:
		fmt.Fprintln(cmd.ErrOrStderr(), "the model declined to answer")
	case a.CutOff:
		fmt.Fprintln(cmd.ErrOrStderr(), "the answer was cut off at its limit; raise --max-tokens")
	default:
		return nil
	}
	return errSaid
}

func (c *conversation) restore() (s client.State, err error) {
	if c.stateFile == "" {
		return s, nil
	}
	data, err := os.ReadFile(c.stateFile)
	if errors.Is(err, fs.ErrNotExist) {
		return s, nil
	}
	if err == nil {
		err = json.Unmarshal(data, &s)
	}
	if err != nil {
		return s, Usage("--state: %w", err)
	}
	return s, nil
}

// save writes the state to a temporary file and renames it: a crash leaves the old or
// the new state intact.
func (c *conversation) save(s client.State) error {
	data, err := json.Marshal(s)
	if err != nil {
		return err
	}
	next := c.stateFile + ".new"
	if err := os.WriteFile(next, data, 0o600); err != nil {
		return err
	}
	return os.Rename(next, c.stateFile)
}
