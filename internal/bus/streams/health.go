package streams

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/helve-dev/helve/internal/bus/natsio"
)

// ProfilePower is the durability profile that survives a power cut; the other
// one, "process", survives killed processes.
const ProfilePower = "power"

// checkWithin bounds the request of one check: a probe waits for one second.
const checkWithin = 800 * time.Millisecond

// Check reports whether calls can be accepted now: NATS answers, all streams exist, have
// a leader and are as they must be, those of calls have room, and the server is as durable as the profile promises.
func (b *Store) Check(ctx context.Context) error {
	if !b.Conn.NATS().IsConnected() {
		return b.Conn.Away()
	}
	if err := natsio.OldServer(b.Conn); err != nil {
		return err
	}
	if !b.prepared.Load() {
		if why := b.unprepared.Load(); why != nil {
			return fmt.Errorf("streams are not set up yet: %w", *why)
		}
		return errors.New("streams are not set up yet")
	}
	if err := b.keeper.problem(); err != nil {
		return err
	}
	bounded, cancel := context.WithTimeout(ctx, checkWithin)
	defer cancel()
	reply, err := b.Conn.Request(bounded, &nats.Msg{Subject: b.Conn.API() + "STREAM.INFO." + Calls})
	if err != nil {
		return fmt.Errorf("JetStream does not answer for stream %s, which may have no leader; look at the NATS servers: %w", Calls, err)
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
		return fmt.Errorf("stream %s: %s", Calls, info.Error.Description)
	}
	if s := b.room.short.Load(); s != nil {
		return s
	}
	if b.opts.Profile == ProfilePower && !b.opts.SyncAlways {
		return CheckPower(ctx, b.opts.MonitorURL)
	}
	return nil
}

// CheckPower requests from a NATS server's monitoring address whether it writes every
// message through to the disk before it acknowledges. If that cannot be verified it returns
// an error.
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
