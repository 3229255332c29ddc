package natsauth

import (
	"bytes"
	"fmt"
	"strings"
)

// NSC returns the nsc commands that create the accounts and users of the server as
// JWTs, below nsc's current operator.
func (s Server) NSC() ([]byte, error) {
	if err := s.Check(); err != nil {
		return nil, err
	}
	if len(s.Apart) > 0 || len(s.Desktops) > 0 {
		return nil, fmt.Errorf("workers in accounts of their own are for --format conf; leave out the pools apart and the desktops")
	}
	var b bytes.Buffer
	run := func(format string, args ...any) { fmt.Fprintf(&b, "nsc "+format+"\n", args...) }
	fmt.Fprint(&b, "#!/bin/sh -e\n# Made by `helve nats-auth server --format nsc`. Run it in an empty directory, and look at\n# the outcome "+
		"with `nsc describe account` before you push it.\n")
	run("add account --name %s", ownAccount)
	disk := s.MaxDisk
	if disk == 0 {
		disk = -1 // no bound
	}
	run("edit account --name %s --js-mem-storage -1 --js-disk-storage %d --js-streams -1 --js-consumer -1", ownAccount, disk)
	lend := func(from, to, subject, file, flags string) {
		run("add export --account %s --private --subject '%s'%s", from, subject, flags)
		run("generate activation --account %s --target-account \"$(nsc describe account %s --field sub | tr -d '\"')\" --subject '%s' "+
			"--output-file %s.tok", from, to, subject, file)
		run("add import --account %s --token %s.tok", to, file)
	}
	const service = " --service --response-type Singleton --response-threshold "
	for _, name := range s.Tenants {
		account := tenantAccount(name)
		run("add account --name %s", account)
		for i, subject := range s.services(name) {
			lend(ownAccount, account, subject, fmt.Sprintf("%s.api.%d", account, i), service+answerTime)
		}
		lend(account, ownAccount, s.lent(name), account+".remote", service+runTime)
		for i, subject := range s.streams(name) {
			lend(ownAccount, account, subject, fmt.Sprintf("%s.%d", account, i), "")
		}
	}
	for _, u := range s.persons() {
		u, _ = u.withDefaults()
		p := personalOf(s.Prefix, credential{User: u})
		run("add account --name %s", p.Account)
		lend(ownAccount, p.Account, p.Lent, p.Account+".api", service+answerTime)
		run("edit import --account %s --subject '%s' --local-subject '%s' --service", p.Account, p.Lent, p.API)
		for i, subject := range p.Streams {
			lend(ownAccount, p.Account, subject, fmt.Sprintf("%s.%d", p.Account, i), "")
		}
	}
	for _, u := range s.Users() {
		may, err := u.Permissions(s.Prefix)
		if err != nil {
			return nil, err
		}
		answers := ""
		if may.Answer {
			answers = " --allow-pub-response=1 --response-ttl " + runTime
		}
		run("add user --account %s --name %s --allow-pub '%s' --allow-sub '%s'%s # inbox prefix %s",
			u.Account(), u.Name, strings.Join(may.Publish, ","), strings.Join(may.Subscribe, ","), answers, u.Inbox())
	}
	return b.Bytes(), nil
}
