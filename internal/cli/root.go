package cli

import (
	"cmp"
	"errors"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/helve-dev/helve/client"
)

// defaultServer is where `helve up` listens unless it is told otherwise.
const defaultServer = "http://127.0.0.1:8080"

// session is what the flags of all commands say.
type session struct {
	server, natsContext, creds string
	tenant, token              string
	who                        client.Context
	json                       bool
}

// Root returns the command `helve` with the commands of this package and extra
// ones. Run it with [Run], which knows the exit codes.
func Root(extra ...*cobra.Command) *cobra.Command {
	s := &session{}
	root := &cobra.Command{
		Use:   "helve",
		Short: "Run the tools of a Helve and see what they do",
		Long: "Run the tools of a Helve and see what they do.\n\n" +
			"Exit codes: 0 success, 1 the server answered with an error or a call is not done,\n" +
			"2 the command was written wrong, 3 the server cannot be reached.",
		SilenceUsage:  true,
		SilenceErrors: true,
		Args:          cobra.NoArgs,
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	flags := root.PersistentFlags()
	flags.StringVar(&s.server, "server", cmp.Or(os.Getenv("HELVE_SERVER"), defaultServer), "`URL` of the server, http:// or nats:// (or HELVE_SERVER)")
	flags.StringVar(&s.natsContext, "nats-context", "", "reach the server by the NATS context `NAME` instead")
	flags.StringVar(&s.creds, "creds", "", "NATS credentials `FILE`")
	// The variable is read later: help would print it as the flag's default.
	flags.StringVar(&s.token, "token", "", "API `KEY` or bearer token, over HTTP (or HELVE_TOKEN, which other users of this machine cannot see)")
	flags.StringVar(&s.tenant, "tenant", "", "`NAME` of the tenant (default: that of the token, or \"default\")")
	flags.StringVar(&s.who.User, "user", "", "`NAME` of the person on whose behalf calls are made")
	flags.StringVar(&s.who.Agent, "agent", "", "`NAME` of the agent that makes calls")
	flags.StringVar(&s.who.Conversation, "conversation", "", "`NAME` of the conversation calls belong to")
	flags.BoolVar(&s.json, "json", false, "print JSON, one line")

	root.AddCommand(
		callCommand(s), chatCommand(s), mcpCommand(s), getCommand(s), cancelCommand(s), eventsCommand(s),
		toolsCommand(s), toolCommand(s), groupsCommand(s), agentsCommand(s),
		consentCommand(s), grantsCommand(s), tokenCommand(s), auditCommand(s), upstreamCommand(s), versionCommand(s),
	)
	root.AddCommand(extra...)
	mark(root)
	return root
}

// client connects as the flags say.
func (s *session) client(cmd *cobra.Command, opts ...client.Option) (*client.Client, error) {
	server := s.server
	opts = append(opts, client.WithTenant(s.tenant), client.WithContext(s.who))
	if s.natsContext != "" {
		if cmd.Flags().Changed("server") {
			return nil, Usage("give --server or --nats-context, not both")
		}
		server = ""
		opts = append(opts, client.WithNATSContext(s.natsContext))
	}
	if s.creds != "" {
		opts = append(opts, client.WithCredentials(s.creds))
	}
	if s.token != "" {
		opts = append(opts, client.WithToken(s.token))
	} else if token := os.Getenv("HELVE_TOKEN"); strings.HasPrefix(server, "http") {
		opts = append(opts, client.WithToken(token))
	}
	c, err := client.New(server, opts...)
	if err != nil && !isAnswer(err) {
		return nil, Usage("%w", err)
	}
	return c, err
}

// connected makes a command of what is to be done with a client.
func (s *session) connected(do func(*cobra.Command, []string, *client.Client) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		c, err := s.client(cmd)
		if err != nil {
			return err
		}
		defer c.Close()
		return do(cmd, args, c)
	}
}

// isAnswer reports whether an error says what became of a request, rather than
// that none could be made.
func isAnswer(err error) bool {
	_, ok := errors.AsType[*client.RequestError](err)
	return ok || errors.Is(err, client.ErrUnreachable)
}
