package bus

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/nats-io/nats.go"
)

// ProfilePower is the durability profile that survives a power cut; the other
// one, "process", survives killed processes.
const ProfilePower = "power"

// Check reports whether calls can be taken now: NATS answers, the streams are
// there, and the server is as durable as the profile promises.
func (b *Bus) Check(ctx context.Context) error {
	if !b.nc.IsConnected() {
		return b.away()
	}
	if !b.prepared.Load() {
		return errors.New("streams are not set up yet")
	}
	reply, err := b.request(ctx, &nats.Msg{Subject: "$JS.API.STREAM.INFO." + StreamCalls})
	if err != nil {
		return fmt.Errorf("JetStream does not answer: %w", err)
	}
	var info struct {
		Error *struct {
			Description string `json:"description"`
		} `json:"error"`
	}
	if err := json.Unmarshal(reply.Data, &info); err != nil {
		return fmt.Errorf("JetStream's answer is unreadable: %w", err)
	}
	if info.Error != nil {
		return fmt.Errorf("stream %s: %s", StreamCalls, info.Error.Description)
	}
	if b.opts.Profile == ProfilePower && !b.opts.SyncAlways {
		return CheckPower(ctx, b.opts.MonitorURL)
	}
	return nil
}

// CheckPower asks a NATS server's monitoring address whether it writes every
// message through to the disk before it acknowledges. What cannot be verified
// counts as no.
func CheckPower(ctx context.Context, monitorURL string) error {
	if monitorURL == "" {
		return errors.New("profile power: set nats.monitor_url, so that it can be verified that the server has sync_interval: always")
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, strings.TrimSuffix(monitorURL, "/")+"/jsz?config=1", nil)
	if err != nil {
		return fmt.Errorf("profile power: nats.monitor_url: %w", err)
	}
	client := &http.Client{}
	defer client.CloseIdleConnections()
	res, err := client.Do(req)
	if err != nil {
		return fmt.Errorf("profile power: the server's monitoring does not answer: %w", err)
	}
	defer func() { _ = res.Body.Close() }()
	var jsz struct {
		Config struct {
			SyncAlways bool `json:"sync_always"`
		} `json:"config"`
	}
	if err := json.NewDecoder(res.Body).Decode(&jsz); err != nil {
		return fmt.Errorf("profile power: the server's monitoring is unreadable: %w", err)
	}
	if !jsz.Config.SyncAlways {
		return errors.New("profile power: the server does not sync always; set jetstream { sync_interval: always } on every server")
	}
	return nil
}
