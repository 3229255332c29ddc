package config

import "time"

// DurableSection configures programs of models: calls whose steps are calls.
type DurableSection struct {
	// Hot is the time for which a program that awaits something keeps its sandbox.
	Hot time.Duration `yaml:"hot"`
	// MaxWaiting and MaxWaitingTenant bound the programs of a person and of a tenant that have
	// not ended.
	MaxWaiting       int `yaml:"max_waiting"`
	MaxWaitingTenant int `yaml:"max_waiting_tenant"`
	// ConsentTTL is the time for a person's decision about a step of medium risk.
	ConsentTTL time.Duration `yaml:"consent_ttl"`
}

func (c Config) checkDurable(v *verdict) {
	v.between("durable.hot", c.Durable.Hot, time.Millisecond, 20*time.Second)
	v.count("durable.max_waiting", c.Durable.MaxWaiting, 1, maxMessages)
	v.count("durable.max_waiting_tenant", c.Durable.MaxWaitingTenant, 1, maxMessages)
	v.between("durable.consent_ttl", c.Durable.ConsentTTL, time.Second, 7*24*time.Hour)
}
