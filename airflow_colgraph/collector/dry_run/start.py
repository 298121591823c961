"""What `colgraph plan` submits in place of the application: without the guards it only fails."""

import sys

from airflow_colgraph.collector.dry_run.main import main

if __name__ == "__main__":
    main(sys.argv[1:])
