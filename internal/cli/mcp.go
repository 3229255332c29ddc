package cli

import (
	"crypto/ed25519"
	"crypto/rand"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/helve-dev/helve/internal/identity/token"
	"github.com/helve-dev/helve/internal/server/mcp"
	"github.com/helve-dev/helve/internal/x/version"
)

const mcpHelp = `Serve the tools of a Helve server to one MCP client over standard input and output.

Configure this command in a client that starts its servers itself, such as an editor or
a desktop assistant. Calls are made on behalf of --user and --agent, and go through the
same policy, consent and audit as all others. Clients that speak HTTP need no command:
they use /mcp of the server.`

func mcpCommand(s *session) *cobra.Command {
	var tools, console string
	var taskAfter time.Duration
	cmd := &cobra.Command{
		Use:     "mcp",
		Short:   "Serve the tools to an MCP client over standard input and output",
		Long:    mcpHelp,
		Example: "  helve mcp --user ada --agent editor",
		Args:    cobra.NoArgs,
	}
	flags := cmd.Flags()
	flags.StringVar(&tools, "tools", "all", "tools offered to the client: all, or discovery, which finds and runs the others")
	toolsetFlag(cmd, &s.who)
	flags.StringVar(&console, "console-url", "", "`URL` of the page where a person decides; the consent's ID is appended")
	flags.DurationVar(&taskAfter, "task-after", 2*time.Second, "turn a call that takes longer into a task, for clients that support tasks")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if tools != "all" && tools != "discovery" {
			return Usage("--tools %q is not known; use all or discovery", tools)
		}
		if tools != "all" && s.who.Toolset != "" {
			return Usage("--tools and --toolset exclude each other: --toolset refuses calls of other tools too")
		}
		if taskAfter <= 0 {
			return Usage("--task-after must be above 0")
		}
		calls, err := s.client(cmd)
		if err != nil {
			return err
		}
		defer calls.Close()
		// The person's answers must not carry the name of the agent that made the call.
		themselves := *s
		themselves.who.Agent = ""
		person, err := themselves.client(cmd)
		if err != nil {
			return err
		}
		defer person.Close()
		state, err := ownState()
		if err != nil {
			return err
		}
		listed := ""
		if tools == "discovery" {
			listed = "search"
		}
		server := mcp.New(&mcpPlatform{calls: calls, person: person}, mcp.Options{
			Version: version.String(), Listed: listed, ConsoleURL: console, State: state, TaskAfter: taskAfter,
		})
		by := mcp.Caller{User: s.who.User, Agent: s.who.Agent, Conversation: s.who.Conversation, Toolset: s.who.Toolset, Timezone: s.who.Timezone}
		return server.Stream(cmd.Context(), by, io.NopCloser(cmd.InOrStdin()), keptOpen{cmd.OutOrStdout()})
	}
	return cmd
}

// keptOpen is a writer whose Close does nothing, because others still use it.
type keptOpen struct{ io.Writer }

// Close does nothing.
func (keptOpen) Close() error { return nil }

// ownState signs the state that the single client carries, with a key of its own.
func ownState() (mcp.State, error) {
	_, key, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		return nil, err
	}
	n := token.Notes{Signer: token.NewSigner(key), Ring: &token.Keyring{}, Purpose: mcp.StatePurpose}
	return n, n.Ring.Put(n.Signer.KeyID(), n.Signer.Public())
}
