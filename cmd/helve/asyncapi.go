package main

import (
	"github.com/spf13/cobra"

	"github.com/helve-dev/helve/internal/server/asyncapi"
)

// asyncAPICommand prints the document of the NATS subjects. It needs no server.
func asyncAPICommand() *cobra.Command {
	return &cobra.Command{
		Use:   "asyncapi",
		Short: "Print the AsyncAPI document of the NATS subjects",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			doc, err := asyncapi.Build()
			if err != nil {
				return err
			}
			text, err := doc.JSON()
			if err != nil {
				return err
			}
			_, err = cmd.OutOrStdout().Write(text)
			return err
		},
	}
}
