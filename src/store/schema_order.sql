-- What answers sums from an index alone has its rows in the order they come, so
-- that captures that come together change the same few pages of it.
DROP INDEX capture_launch;
CREATE INDEX capture_launch ON capture(launch, mime, id, size, stored);
DROP INDEX capture_host;
CREATE INDEX capture_host ON capture(host, launch, id, size);
