package main

import (
	"cmp"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/helve-dev/helve/config"
	"github.com/helve-dev/helve/internal/cli"
	"github.com/helve-dev/helve/internal/policy"
)

// policyCommand is for authors of rules. It needs no server.
func policyCommand(env []string) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "policy",
		Short: "Check policy rules and explain what they decide",
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(policyCheckCommand(), policyExplainCommand(env))
	return cmd
}

func policyCheckCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "check PATH...",
		Short:   "Check rule files, or directories of *.cedar files, and report every problem",
		Example: "  helve policy check config/policy",
		Args:    cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, paths []string) error {
			p, err := policy.New(policy.Options{Rules: paths})
			if err != nil {
				return fmt.Errorf("the rules would be refused:\n%w", err)
			}
			held := p.InForce()
			fmt.Fprintf(cmd.OutOrStdout(), "ok: %d rules in %d files\n", held.Rules, len(held.Files))
			return nil
		},
	}
}

// loadPolicy loads the configured policy, overridden by flags: a profile then applies
// to every tenant.
func loadPolicy(env []string, file, profile string, rules []string) (*policy.Policy, error) {
	cfg, err := config.Load(config.Source{Env: env, File: file})
	if err != nil {
		return nil, cli.Usage("%w", err)
	}
	opts := policy.Options{Rules: cfg.Policy.Rules, TTL: cfg.Consent.TTL, HighTTL: min(cfg.Consent.HighTTL, cfg.Consent.TTL)}
	if rules != nil {
		opts.Rules = rules
	}
	opts.Profile, err = policy.ParseProfile(cmp.Or(profile, cfg.Profile))
	if err == nil && profile == "" {
		opts.Tenants, err = policy.ParseTenants(cfg.Policy.Tenants)
	}
	if err != nil {
		return nil, cli.Usage("%w", err)
	}
	return policy.New(opts)
}
