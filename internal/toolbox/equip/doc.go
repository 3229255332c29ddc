// Package equip gives a call the ports that its tool needs, and no others.
//
// It promises that each port reaches no further than the scopes of the tool and of the calls around
// it, and belongs to the tenant and the user of the call. It implements no port, and decides nothing:
// the gate has decided before.
package equip
