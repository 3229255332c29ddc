-- +goose Up
-- Documents that were stored without the shape of their collection have keyed = '-' until
-- they get their keys.
CREATE INDEX store_row_imported ON store_row (tenant, person, collection) WHERE keyed = '-';
