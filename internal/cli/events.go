package cli

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/helve-dev/helve/client"
)

func eventsCommand(s *session) *cobra.Command {
	return &cobra.Command{
		Use:   "events TRACE_ID",
		Short: "Follow the events of a trace, until interrupted",
		Long: "Follow the events of a trace, one line each, until interrupted. Over\n" +
			"HTTP the events of the last minutes come first; over NATS only new ones come.",
		Args: cobra.ExactArgs(1),
		RunE: s.connected(func(cmd *cobra.Command, args []string, c *client.Client) error {
			for e, err := range c.Events(cmd.Context(), args[0]) {
				if err == nil {
					err = s.printEvent(cmd, e)
				}
				if err != nil {
					return err
				}
			}
			return nil
		}),
	}
}

func (s *session) printEvent(cmd *cobra.Command, e client.Event) error {
	if s.json {
		return printJSON(cmd.OutOrStdout(), e)
	}
	line := fmt.Sprintf("%s  %s  %s  %s", e.Time.UTC().Format(time.RFC3339Nano), e.CallID, e.Tool, e.Type)
	if text := dataText(e.Data); text != "" {
		line += "  " + oneLine(text)
	}
	return printText(cmd.OutOrStdout(), line)
}

// dataText formats an event's data: the text of a log line, or nothing if there is no
// data.
func dataText(data json.RawMessage) string {
	var log struct {
		Message *string `json:"message"`
	}
	switch {
	case len(data) == 0 || string(data) == "{}" || string(data) == "null":
		return ""
	case json.Unmarshal(data, &log) == nil && log.Message != nil:
		return *log.Message
	}
	return string(data)
}
