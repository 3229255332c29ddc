package protocol

import "time"

// PushSubscription is the subscription of a device, as the Push API of its browser returns it.
type PushSubscription struct {
	Endpoint string   `json:"endpoint" doc:"The address of the device at its push service; https only."`
	Keys     PushKeys `json:"keys" doc:"The keys with which notifications are encrypted."`
	User     string   `json:"user,omitempty" doc:"The person, where the credential names none."`
}

// PushKeys are the keys of a subscription, in base64url.
type PushKeys struct {
	P256dh string `json:"p256dh" doc:"The public key of the device: an uncompressed point of P-256."`
	Auth   string `json:"auth" doc:"The authentication secret of the device: 16 bytes."`
}

// PushKey answers push.key.
type PushKey struct {
	Key string `json:"key" doc:"The public key for which devices subscribe (VAPID, RFC 8292): a point of P-256 in base64url."`
}

// PushDevice is a device of a person to which notifications are sent.
type PushDevice struct {
	Endpoint string    `json:"endpoint" doc:"Its address at the push service."`
	Language string    `json:"language" doc:"The language of its notifications: that of Accept-Language when it subscribed."`
	Since    time.Time `json:"since" doc:"When it subscribed."`
}

// PushDeviceList answers push.list.
type PushDeviceList struct {
	Devices []PushDevice `json:"devices" doc:"The devices, the oldest first."`
}
