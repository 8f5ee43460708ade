/// Where the cluster of the fault tests will stand.
enum Cluster {}
