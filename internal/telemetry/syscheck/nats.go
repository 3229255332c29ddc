package syscheck

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/helve-dev/helve/internal/bus/natsio"
	"github.com/helve-dev/helve/internal/bus/streams"
	"github.com/helve-dev/helve/protocol"
)

const (
	// slowNATS is the round trip above which each call is noticeably slower.
	slowNATS = 50 * time.Millisecond
	// skewWarned is the difference of clocks above which calls that are sent directly are
	// declined, and skewWrong that above which signed permissions are refused.
	skewWarned, skewWrong = 150 * time.Millisecond, 30 * time.Second
)

func (c *Checker) server(ctx context.Context) []protocol.Finding {
	s, err := c.Queue.Server(ctx)
	if err != nil {
		return away(err)
	}
	var found []protocol.Finding
	if err := natsio.Old(s.Version); err != nil {
		problem, advice, _ := strings.Cut(err.Error(), "; ")
		found = failure(advice, "%s", problem)
	}
	if s.RoundTrip > slowNATS {
		found = append(found,
			about("HelveNATSSlow",
				warning("see whether the disk or the network of NATS is busy", "NATS took %s to answer", s.RoundTrip.Round(time.Millisecond)))...)
	}
	if found == nil {
		found = ok("version %s, answers in %s", s.Version, s.RoundTrip.Round(10*time.Microsecond))
	}
	return found
}

func (c *Checker) clocks(ctx context.Context) []protocol.Finding {
	s, err := c.Queue.Server(ctx)
	if err != nil {
		return away(err)
	}
	skews := map[string]time.Duration{"NATS": s.Skew}
	for id, skew := range c.Queue.Owners.Clocks(ctx, len(c.ids())) {
		skews["worker "+id] = skew
	}
	var found []protocol.Finding
	for _, part := range slices.Sorted(maps.Keys(skews)) {
		const advice = "synchronize the clocks of all machines (NTP)"
		switch skew := skews[part]; {
		case skew.Abs() > skewWrong:
			found = append(found,
				on(part, failure(advice, "the clock of %s differs by %s from this dispatcher's: permissions are refused",
					part, skew.Round(time.Millisecond)))...)
		case skew.Abs() > skewWarned:
			found = append(found,
				on(part, warning(advice, "the clock of %s differs by %s from this dispatcher's", part, skew.Round(time.Millisecond)))...)
		}
	}
	if found == nil {
		found = ok("those of NATS and of %d workers agree with this dispatcher's", len(skews)-1)
	}
	return found
}

// conditions returns a finding for each stream, bucket and consumer of a lane that this
// process found unusable, and the names.
func (c *Checker) conditions() (found []protocol.Finding, unusable map[string]bool) {
	unusable = map[string]bool{}
	for _, state := range c.Queue.Conditions() {
		if state.Problem == "" {
			continue
		}
		unusable[state.Name] = true
		problem, advice, _ := strings.Cut(state.Problem, "; ")
		found = append(found,
			on(state.Name, about("HelveStreamUnusable",
				failure(cmp.Or(advice, "docs/cluster.md lists what each stream holds"), "stream %s %s", state.Name, problem)))...)
	}
	return found, unusable
}

func (c *Checker) streams(ctx context.Context) []protocol.Finding {
	found, unusable := c.conditions()
	short := c.Queue.Shortages()
	states, err := c.Queue.Inspect(ctx)
	if err != nil {
		return append(found, away(err)...)
	}
	for _, s := range states {
		switch {
		case unusable[s.Name]:
		case s.Missing:
			found = append(found,
				on(s.Name,
					about("HelveStreamUnusable", failure("restart a dispatcher, which makes it; restore NATS from a backup if its contents are needed",
						"stream %s is missing", s.Name)))...)
		case len(s.Differs) > 0:
			found = append(found,
				on(s.Name, warning("start all dispatchers with the same settings; a dispatcher corrects the stream when it starts",
					"stream %s is not as the settings of this dispatcher: %s", s.Name, strings.Join(s.Differs, ", ")))...)
		}
		if short := short[s.Name]; short != nil {
			found = append(found, on(s.Name, about("HelveJetStreamFull", failure(short.Advice, "calls are refused: %s", short.What)))...)
			continue
		}
		fill, err := c.Queue.Fill(ctx, s.Name)
		if ratio := fill.Ratio(); err == nil && ratio >= fullWarned {
			found = append(found,
				on(s.Name, about("HelveJetStreamFull",
					warning("find out what fills it, or raise its bound (streams.* in the configuration): at the bound new calls are refused",
						"stream %s is filled to %.0f %%; it holds %s of messages", s.Name, 100*ratio, streams.Lasts(fill.Holds))))...)
		}
	}
	if found == nil {
		found = ok("%d streams are as they should be", len(states))
	}
	return found
}

// fullWarned is the share of a bound above which a stream or a device is nearly full.
const fullWarned = 0.8

func (c *Checker) consumers(ctx context.Context) []protocol.Finding {
	pools := slices.Sorted(maps.Keys(c.Live()))
	missing, err := c.Queue.Calls.MissingLanes(ctx, pools)
	switch {
	case err != nil:
		return away(err)
	case len(missing) > 0:
		return failure("restart a worker of the pool, which makes them; their calls are still queued",
			"consumers of the queue are missing: %s", strings.Join(missing, ", "))
	}
	return ok("those of %d pools are there", len(pools))
}

func (c *Checker) replicas(ctx context.Context) []protocol.Finding {
	states, err := c.Queue.Inspect(ctx)
	if err != nil {
		return away(err)
	}
	var found []protocol.Finding
	least := 0
	for _, s := range states {
		if least == 0 || s.Replicas > 0 && s.Replicas < least {
			least = s.Replicas
		}
		switch {
		case s.Leaderless:
			found = append(found,
				on(s.Name, about("HelveStreamReplicasMissing",
					failure("start the NATS servers that are down: without a majority nothing is accepted", "stream %s has no leader", s.Name)))...)
		case len(s.Away) > 0:
			found = append(found,
				on(s.Name,
					about("HelveStreamReplicasMissing", warning("start the NATS servers that are down, or wait until they have caught up",
						"replicas of stream %s are away or behind: %s", s.Name, strings.Join(s.Away, ", "))))...)
		}
	}
	nodes := len(c.Queue.Conn.NATS().DiscoveredServers()) + 1
	if least == 1 && nodes >= 3 {
		found = append(found,
			warning("set durability.replicas to 3 on all dispatchers",
				"the NATS cluster has %d servers, but each stream is on one of them", nodes)...)
	}
	if found == nil {
		found = ok("each stream is on %d of the NATS servers", least)
	}
	return found
}

func (c *Checker) permissions(ctx context.Context) []protocol.Finding {
	s, err := c.Queue.Server(ctx)
	if err != nil {
		return away(err)
	}
	if s.Refused != nil {
		return failure("write the NATS configuration again with `helve nats-auth` of this version, and reload NATS",
			"the credential of this dispatcher was refused: %v", s.Refused)
	}
	return ok("nothing was refused to the credential of this dispatcher")
}

func (c *Checker) deadLetters(ctx context.Context) []protocol.Finding {
	fill, err := c.Queue.Fill(ctx, streams.Dead)
	if err != nil {
		return away(err)
	}
	if fill.Messages > 0 {
		return warning("list them with `helve dead list`, for each tenant; requeue or drop them",
			"%d queued messages could not be read by a worker", fill.Messages)
	}
	return ok("there are none")
}
