package main

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/helve-dev/helve/config"
	"github.com/helve-dev/helve/internal/cli"
	"github.com/helve-dev/helve/internal/server/natsauth"
	"github.com/helve-dev/helve/internal/toolbox"
	"github.com/helve-dev/helve/internal/tools"
)

// natsAuthCommand writes NATS permissions. It needs no server.
func natsAuthCommand() *cobra.Command {
	u := natsauth.User{}
	var role, prefix, url, out, public string
	var show bool
	cmd := &cobra.Command{
		Use:   "nats-auth --role ROLE",
		Short: "Write NATS permissions for the roles of Helve",
		Long: "Write the entry of one user for a NATS server's configuration: exactly the permissions\n" +
			"of its role. `helve nats-auth server` writes a complete configuration.\n\n" +
			"The secret half of the user's key is written to a file below --out, with a NATS\n" +
			"context to connect with. It is printed only with --show-seed.",
		Example: "  helve nats-auth --tenant acme --role agent --name bot --out nats\n" +
			"  helve nats-auth --tenant acme --role user --user ada --public-key UAB...\n" +
			"  helve nats-auth --tenant acme --role remote --name crm --tools crm.find --out nats\n" +
			"  helve nats-auth --role worker --name gpu --pools gpu --out nats",
		Args: cobra.NoArgs,
	}
	flags := cmd.Flags()
	flags.StringVar(&role, "role", "", fmt.Sprintf("`ROLE`, one of %v", natsauth.Roles()))
	flags.StringVar(&u.Tenant, "tenant", "default", "`NAME` of the tenant of a front end")
	flags.StringVar(&u.Person, "user", "", "`NAME` of the only person that a user's credential acts for")
	flags.StringVar(&u.Name, "name", "", "`NAME` that distinguishes credentials of a role (default: the role)")
	flags.StringSliceVar(&u.Pools, "pools", nil, "`NAMES` of the pools of a worker, with commas (default: default)")
	flags.BoolVar(&u.Affinity, "affinity", false, "let a worker have lanes of its own (worker.affinity: user)")
	flags.StringSliceVar(&u.Tools, "tools", nil, "`NAMES` of the tools that a process of the role remote runs, with commas (default: all)")
	flags.StringVar(&public, "public-key", "", "the public `NKEY` of a user that has one already, instead of creating one")
	flags.StringVar(&out, "out", "", "`DIR` for the key and the NATS context")
	flags.BoolVar(&show, "show-seed", false, "print the secret seed instead of writing it")
	natsFlags(cmd, &prefix, &url)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		u.Role = natsauth.Role(role)
		if !cmd.Flags().Changed("tenant") && (u.Role == natsauth.Dispatcher || u.Role == natsauth.Worker) {
			u.Tenant = ""
		}
		if _, err := u.Permissions(prefix); err != nil {
			return cli.Usage("%w", err)
		}
		return printUser(cmd.OutOrStdout(), u, prefix, url, out, public, show)
	}
	cmd.AddCommand(natsAuthServerCommand())
	return cmd
}

func natsFlags(cmd *cobra.Command, prefix, url *string) {
	cmd.Flags().StringVar(prefix, "prefix", "helve.v1", "the `PREFIX` of all subjects; nats.prefix of the configuration")
	cmd.Flags().StringVar(url, "url", "nats://127.0.0.1:4222", "`URL` of the server, for the NATS contexts")
}

func printUser(w io.Writer, u natsauth.User, prefix, url, out, public string, show bool) (err error) {
	var seed []byte
	switch {
	case public != "" && out == "" && !show:
	case public == "" && out != "" && !show:
		if public, err = u.WriteKey(out, url); err != nil {
			return err
		}
	case public == "" && out == "" && show:
		if seed, public, err = natsauth.NewKey(); err != nil {
			return err
		}
	default:
		return cli.Usage("give one of --out DIR, --public-key NKEY and --show-seed: a user needs a key")
	}
	block, err := u.Block(prefix, public)
	if err != nil {
		return cli.Usage("%w", err)
	}
	if seed != nil {
		fmt.Fprintf(w, "# The seed, shown this once: %s\n", seed)
	}
	if u.Person != "" { // it is a complete account
		_, err = w.Write(block)
		return err
	}
	_, err = fmt.Fprintf(w, "# For the users of the account %s.\n%s", u.Account(), block)
	return err
}

// desktopTools returns the built-in tools of the pool desktop.
func desktopTools() (names []string) {
	for _, set := range tools.Builtin() {
		for _, t := range set.Tools() {
			if t.Pool == toolbox.Desktop {
				names = append(names, t.Name)
			}
		}
	}
	return names
}

func natsAuthServerCommand() *cobra.Command {
	var s natsauth.Server
	var out, format, disk string
	cmd := &cobra.Command{
		Use:   "server --tenants NAMES",
		Short: "Write a NATS server's configuration with every role of every tenant",
		Long: "Write a NATS server's configuration with a credential for each role of each tenant.\n\n" +
			"It writes the configuration, a key for each credential and a NATS context for each\n" +
			"below --out. Run it again to add tenants: existing keys are kept.\n" +
			"With --format nsc it prints the commands that create the same with JWTs instead.",
		Example: "  helve nats-auth server --tenants acme,beta --out nats\n  nats-server -c nats/" + natsauth.ConfFile,
		Args:    cobra.NoArgs,
	}
	flags := cmd.Flags()
	flags.StringSliceVar(&s.Tenants, "tenants", []string{"default"}, "`NAMES` of the tenants, with commas")
	flags.StringSliceVar(&s.Persons, "persons", nil, "`TENANT/USER,…` who get a credential that acts for them alone")
	flags.StringSliceVar(&s.Pools, "pools", nil, "`NAMES` of the pools of the workers, with commas (default: default)")
	flags.StringSliceVar(&s.Apart, "apart", nil, "`NAMES` of the pools whose workers get an account of their own, with commas")
	flags.StringSliceVar(&s.Desktops, "desktop", nil, "`TENANT/USER,…` on whose desktops workers run that take their calls alone")
	flags.BoolVar(&s.Affinity, "affinity", false, "let workers have lanes of their own (worker.affinity: user)")
	flags.StringVar(&s.Listen, "listen", "127.0.0.1:4222", "`ADDR` the server listens on")
	flags.StringVar(&s.Store, "store", "store", "`DIR` of the server's data, in --out unless it is absolute")
	flags.StringVar(&disk, "max-disk", "0",
		"`SIZE` that streams may hold on the disks of all servers together, such as 285GiB; 0 for no bound")
	flags.StringVar(&out, "out", "", "`DIR` to write to")
	flags.StringVar(&format, "format", "conf", "`FORM` to write: conf or nsc")
	natsFlags(cmd, &s.Prefix, &s.URL)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		s.DesktopTools = desktopTools()
		most, err := config.ParseBytes(disk)
		if err != nil {
			return cli.Usage("--max-disk: %w", err)
		}
		s.MaxDisk = int64(most)
		switch {
		case format == "nsc" && out == "":
			commands, err := s.NSC()
			if err != nil {
				return cli.Usage("%w", err)
			}
			_, err = cmd.OutOrStdout().Write(commands)
			return err
		case format == "conf" && out != "":
			if err := s.Check(); err != nil {
				return cli.Usage("%w", err)
			}
			if err := s.Write(out); err != nil {
				return err
			}
			_, err := fmt.Fprintf(cmd.OutOrStdout(), "Wrote %s/%s, and the credentials of each process below keys and contexts.\n",
				out, natsauth.ConfFile)
			return err
		}
		return cli.Usage("give --out DIR, or --format nsc without it")
	}
	return cmd
}
