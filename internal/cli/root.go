package cli

import (
	"cmp"
	"errors"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/helve-dev/helve/client"
	"github.com/helve-dev/helve/internal/x/version"
)

// defaultServer is the default address of `helve up`.
const defaultServer = "http://127.0.0.1:8080"

// session holds the global flags.
type session struct {
	server, natsContext, creds string
	tenant, token              string
	who                        client.Context
	json                       bool
}

// Root returns the command `helve` with the commands of this package and extra
// commands. Run it with [Run], which sets the exit codes.
func Root(extra ...*cobra.Command) *cobra.Command {
	s := &session{}
	root := &cobra.Command{
		Use:   "helve",
		Short: "Run and inspect tools on a Helve server",
		Long: "Run and inspect tools on a Helve server.\n\n" +
			"Exit codes: 0 success, 1 the server answered with an error or a call is not done,\n" +
			"2 usage error, 3 the server cannot be reached.",
		Version:       version.String(),
		SilenceUsage:  true,
		SilenceErrors: true,
		Args:          cobra.NoArgs,
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.SetVersionTemplate("helve {{.Version}}\n")
	flags := root.PersistentFlags()
	flags.StringVar(&s.server, "server", cmp.Or(os.Getenv("HELVE_SERVER"), defaultServer),
		"`URL` of the server, http:// or nats:// (or HELVE_SERVER)")
	flags.StringVar(&s.natsContext, "nats-context", "", "reach the server by the NATS context `NAME` instead")
	flags.StringVar(&s.creds, "creds", "", "NATS credentials `FILE`")
	// The variable is read later, because help would print it as the flag's default.
	flags.StringVar(&s.token, "token", "", "API `KEY` or bearer token (or HELVE_TOKEN, which other users of this machine cannot see)")
	flags.StringVar(&s.tenant, "tenant", "", "`NAME` of the tenant (default: that of the token, or \"default\")")
	flags.StringVar(&s.who.User, "user", "", "`NAME` of the person on whose behalf calls are made")
	flags.StringVar(&s.who.Agent, "agent", "", "`NAME` of the agent that makes calls")
	flags.StringVar(&s.who.Conversation, "conversation", "", "`NAME` of the conversation calls belong to")
	flags.StringVar(&s.who.Timezone, "timezone", "", "the person's time `ZONE`, such as Europe/Berlin (default: UTC)")
	flags.BoolVar(&s.json, "json", false, "print JSON, one line")

	root.AddCommand(
		callCommand(s), chatCommand(s), mcpCommand(s), getCommand(s), cancelCommand(s), eventsCommand(s),
		toolsCommand(s), toolCommand(s), groupsCommand(s), agentsCommand(s),
		consentCommand(s), grantsCommand(s), tokenCommand(s), auditCommand(s), upstreamCommand(s), workersCommand(s), versionCommand(s),
		callsCommand(s), programsCommand(s), deadCommand(s), filesCommand(s), topCommand(s),
	)
	root.AddCommand(extra...)
	for _, cmd := range extra {
		switch cmd.Name() {
		case "doctor":
			remoteDoctor(s, cmd)
		case "js": // the tools on a server, in addition to files of the tools' authors
			cmd.AddCommand(customCommands(s)...)
			for _, sub := range cmd.Commands() {
				if sub.Name() == "types" {
					toolTypes(s, sub)
				}
			}
		case "config": // the accounts that a server stores, in addition to keys here
			configOnServer(s, cmd)
		case "data": // the data behind a server, in addition to a database here
			dataOnServer(s, cmd)
		}
	}
	return root
}

// client connects according to the flags.
func (s *session) client(cmd *cobra.Command, opts ...client.Option) (*client.Client, error) {
	server := s.server
	opts = append(opts, client.WithTenant(s.tenant), client.WithContext(s.who))
	if s.natsContext != "" {
		if cmd.Flags().Changed("server") {
			return nil, Usage("give --server or --nats-context, not both")
		}
		server = ""
		opts = append(opts, client.WithNATSContext(s.natsContext))
	} else if local := localContext(server); local != "" && s.creds == "" {
		server = ""
		opts = append(opts, client.WithNATSContext(local))
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

// connected returns a command function that runs do with a client.
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

// isAnswer reports whether an error is the outcome of a request, rather than a failure
// to make one.
func isAnswer(err error) bool {
	_, ok := errors.AsType[*client.RequestError](err)
	return ok || errors.Is(err, client.ErrUnreachable)
}
